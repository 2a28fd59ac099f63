package io.delayqueue.example.shop;

import java.net.URI;
import java.time.Duration;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.test.DelayQueueTime;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.TestRedis;

import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** Checks the server that stores the messages of a test. */
final class UsedRedis {

	private UsedRedis() {
	}

	/** The messages are on the server of the test, and no shared server was requested. */
	static void isAt(ApplicationContext context, String host, int port) {
		context.getBean(DelayQueueOperations.class).schedule("orders", "o-1", Duration.ofDays(7));
		try (RespClient redis = RespClient.connect(URI.create("redis://" + host + ":" + port))) {
			assertThat(redis.call("DBSIZE")).isNotEqualTo(0L);
		}
		context.getBean(DelayQueueTime.class).advance(Duration.ofDays(7));
		assertThat(context.getBean(Mailer.class).sent()).containsExactly("closed o-1");
		assertThat(context.getBeanProvider(TestRedis.class).stream()).isEmpty();
	}

}
