package io.delayqueue.example.readme;

import io.delayqueue.example.readme.Reports.Partner;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/** Qualified connections use another Redis, and the application keeps its own one. */
class OtherRedisTests {

	@Test
	void onlyMessagesAreInTheOtherRedis() {
		try (RedisServer queues = RedisServer.builder().start();
				RedisServer application = RedisServer.builder().start();
				ConfigurableApplicationContext context = start(application, queues)) {
			context.getBean(Orders.class).place("o-1");
			assertThat(keys(queues)).isPositive();
			assertThat(keys(application)).isZero();
			context.getBean(StringRedisTemplate.class).opsForValue().set("mine", "1");
			assertThat(keys(application)).isEqualTo(1);
		}
	}

	private static ConfigurableApplicationContext start(RedisServer application, RedisServer queues) {
		return new SpringApplicationBuilder(ReadmeApplication.class, OtherRedis.class, NoPartner.class)
			.web(WebApplicationType.NONE)
			.properties("spring.data.redis.url=" + application.uri())
			.initializers((context) -> context.getBeanFactory().addBeanPostProcessor(new Names(queues)))
			.run();
	}

	private static long keys(RedisServer server) {
		try (RespClient redis = RespClient.connect(server.uri())) {
			return (Long) redis.call("DBSIZE");
		}
	}

	/** Resolves queues.example.com. */
	private record Names(RedisServer queues) implements BeanPostProcessor {

		@Override
		public Object postProcessBeforeInitialization(Object bean, String name) {
			if (bean instanceof JedisConnectionFactory connections && name.equals("delayQueueConnections")) {
				RedisStandaloneConfiguration server = connections.getStandaloneConfiguration();
				assertThat(server.getHostName()).isEqualTo("queues.example.com");
				server.setHostName(this.queues.host());
				server.setPort(this.queues.port());
			}
			return bean;
		}

	}

	static class NoPartner {

		@Bean
		Partner partner() {
			return (behaviours) -> {
			};
		}

	}

}
