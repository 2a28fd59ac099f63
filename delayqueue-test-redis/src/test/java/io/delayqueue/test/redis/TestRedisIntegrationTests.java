package io.delayqueue.test.redis;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

class TestRedisIntegrationTests {

	@Test
	void contextConnectsToTheSharedServer() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
			.withUserConfiguration(TestRedis.class)
			.run((context) -> {
				context.getBean(StringRedisTemplate.class).opsForValue().set("TestRedisIntegrationTests", "value");
				try (RespClient client = SharedRedis.get().client()) {
					assertThat(client.call("GETDEL", "TestRedisIntegrationTests")).isEqualTo("value");
				}
			});
	}

}
