package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.delayqueue.CancelResult;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.RedisRefusedException;
import io.delayqueue.RescheduleResult;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.journey.fixture.Transactions;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisOperations;
import org.springframework.data.redis.core.SessionCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Calls while the application keeps a connection of the same Redis for its thread, in a
 * transaction or a pipeline of Redis. Calls of the library take part in neither.
 */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class RedisTransactionIntegrationTests {

	private final TestApplication application = new TestApplication(SharedRedis.get().uri());

	@AfterEach
	void stop() {
		this.application.close();
	}

	/**
	 * The ways in which an application keeps a connection and finally discards its
	 * commands.
	 */
	enum Kept {

		TRANSACTION_OF_SPRING {
			@Override
			void during(StringRedisTemplate redis, Consumer<RedisOperations<String, String>> work) {
				redis.setEnableTransactionSupport(true);
				new TransactionTemplate(new Transactions()).executeWithoutResult((status) -> {
					work.accept(redis);
					status.setRollbackOnly();
				});
			}
		},

		MULTI {
			@Override
			void during(StringRedisTemplate redis, Consumer<RedisOperations<String, String>> work) {
				redis.execute(session((operations) -> {
					operations.multi();
					work.accept(operations);
					operations.discard();
				}));
			}
		},

		PIPELINE {
			@Override
			void during(StringRedisTemplate redis, Consumer<RedisOperations<String, String>> work) {
				assertThat(redis.executePipelined(session(work))).hasSize(1);
			}
		};

		abstract void during(StringRedisTemplate redis, Consumer<RedisOperations<String, String>> work);

		@SuppressWarnings("unchecked")
		private static SessionCallback<Object> session(Consumer<RedisOperations<String, String>> work) {
			return new SessionCallback<>() {

				@Override
				public <K, V> Object execute(RedisOperations<K, V> operations) throws DataAccessException {
					work.accept((RedisOperations<String, String>) operations);
					return null;
				}

			};
		}

	}

	@ParameterizedTest
	@CsvSource({ "jedis, TRANSACTION_OF_SPRING", "jedis, MULTI", "jedis, PIPELINE", "lettuce, TRANSACTION_OF_SPRING",
			"lettuce, MULTI", "lettuce, PIPELINE" })
	void everyCallIsExecutedAndAnsweredAtOnce(String driver, Kept kept) {
		ConfigurableApplicationContext context = start(driver);
		DelayQueueOperations queue = context.getBean(DelayQueueOperations.class);
		DelayQueueAdmin admin = context.getBean(DelayQueueAdmin.class);
		StringRedisTemplate redis = new StringRedisTemplate(context.getBean(RedisConnectionFactory.class));
		String key = this.application.prefix() + "-of-the-application";
		String foreign = this.application.prefix() + ":{payments:0}:scheduled";
		redis.opsForValue().set(foreign, "of another program");

		kept.during(redis, (operations) -> {
			assertThatExceptionOfType(RedisRefusedException.class)
				.isThrownBy(() -> queue.schedule("payments", "p", Duration.ofMinutes(1)));
			operations.opsForValue().set(key, "any");
			assertThat(queue.schedule(request("a")).outcome()).isEqualTo(Outcome.CREATED);
			assertThat(queue.schedule("orders", "p", Duration.ofMinutes(1)).outcome()).isEqualTo(Outcome.CREATED);
			assertThat(queue.scheduleAll(List.of(request("b"), request("c")))).extracting(ScheduleAnswer::isAccepted)
				.containsOnly(true);
			assertThat(queue.find("orders", "a")).isPresent();
			assertThat(queue.reschedule("orders", "a", Duration.ofMinutes(2))).isEqualTo(RescheduleResult.RESCHEDULED);
			assertThat(queue.cancel("orders", "b")).isEqualTo(CancelResult.CANCELLED);
			assertThat(queue.countGroup("orders", "none")).isZero();
			assertThat(admin.pause("orders").isPaused()).isTrue();
			assertThat(admin.deadLetters("orders", null, 10).deadLetters()).isEmpty();
		});

		assertThat(queue.find("orders", "a")).isPresent();
		assertThat(queue.find("orders", "b")).isEmpty();
		assertThat(redis.hasKey(key)).isEqualTo(kept == Kept.PIPELINE);
		redis.delete(List.of(key, foreign));
	}

	@ParameterizedTest
	@CsvSource({ "jedis", "lettuce" })
	void messageScheduledAfterCommitIsStoredAlthoughTheTransactionKeepsAConnection(String driver) {
		ConfigurableApplicationContext context = start(driver);
		DelayQueueOperations queue = context.getBean(DelayQueueOperations.class);
		StringRedisTemplate redis = new StringRedisTemplate(context.getBean(RedisConnectionFactory.class));
		redis.setEnableTransactionSupport(true);
		String key = this.application.prefix() + "-of-the-application";

		new TransactionTemplate(new Transactions()).executeWithoutResult((status) -> {
			redis.opsForValue().set(key, "any");
			queue.scheduleAfterCommit(request("a"));
		});

		assertThat(queue.find("orders", "a")).isPresent();
		assertThat(redis.delete(key)).isTrue();
	}

	private ConfigurableApplicationContext start(String driver) {
		return this.application.with("spring.data.redis.client-type=" + driver).start();
	}

	private static ScheduleRequest request(String id) {
		return ScheduleRequest.to("orders").payload("p").id(id).delay(Duration.ofMinutes(1));
	}

}
