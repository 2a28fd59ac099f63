package io.delayqueue.schedule;

import java.util.List;

import io.delayqueue.queue.Epochs;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.KeySpace;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.ScheduledMessages;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.serializer.RedisSerializer;

import static io.delayqueue.schedule.TestMessages.PARTITION;
import static io.delayqueue.schedule.TestMessages.QUEUE;
import static io.delayqueue.schedule.TestMessages.message;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Maps failures of the driver to those of the store.
 */
final class StoreFailures {

	private StoreFailures() {
	}

	static StoreException failure(DataAccessException failure) {
		RedisTemplate<String, byte[]> failing = new RedisTemplate<>() {

			@Override
			public <T> T execute(RedisScript<T> script, RedisSerializer<?> argsSerializer,
					RedisSerializer<T> resultSerializer, List<String> keys, Object... args) {
				throw failure;
			}

		};
		failing.setConnectionFactory(new JedisConnectionFactory());
		ScheduledMessages messages = new ScheduledMessages(new RedisCalls(failing, new KeySpace("test")));
		return catchThrowableOfType(StoreException.class, () -> messages.schedule(PARTITION,
				Epochs.first(QUEUE.name(), QUEUE.partitions()), QUEUE, List.of(message("a").message())));
	}

}
