package io.delayqueue.journey;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.redis.DelayQueueRedisTemplate;
import io.delayqueue.test.fault.Scripts;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.script.DefaultScriptExecutor;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.serializer.RedisSerializer;

import static org.assertj.core.api.Assertions.assertThat;

/** A queue is paused during a read. */
class PauseDuringReadIntegrationTests extends OperatedQueue {

	private static final int PARTITIONS = 3;

	private static final int MESSAGES = 30;

	@Configuration(proxyBeanMethods = false)
	@Import(Worker.class)
	static class Slow {

		@Bean
		static BeanPostProcessor slowLink() {
			return new SlowLink();
		}

	}

	@BeforeEach
	void letEverythingPass() {
		SlowLink.questions.open();
		SlowLink.answers.open();
	}

	@Test
	void messagesAreReleasedWhenPauseIsNoticedBeforeTheReplyOfTheirRead() {
		SlowLink.answers.close();
		Worker worker = this.applications.start(Slow.class).getBean(Worker.class);
		schedule(0, MESSAGES);
		await().until(() -> SlowLink.answers.waiting() == PARTITIONS);

		this.admin.pause(QUEUE);
		awaitNoticed();
		SlowLink.answers.open();

		assertThatNothingBeginsUntilResumed(worker);
	}

	@Test
	void messagesAreReleasedWhenPauseEndsAndBeginsAgainDuringTheirRead() {
		Worker worker = this.applications.start(Slow.class).getBean(Worker.class);
		await().until(() -> this.redis.call("HEXISTS", this.applications.prefix() + ":queues", QUEUE).equals(1L));
		this.admin.pause(QUEUE);
		awaitNoticed();
		SlowLink.questions.close();
		schedule(0, MESSAGES);
		await().until(() -> SlowLink.questions.waiting() == PARTITIONS);
		this.admin.resume(QUEUE);
		await().until(() -> sum("XLEN", "ready") == MESSAGES);
		SlowLink.answers.close();
		SlowLink.questions.open();
		await().until(() -> SlowLink.answers.waiting() == PARTITIONS);

		this.admin.pause(QUEUE);
		awaitNoticed();
		SlowLink.answers.open();

		assertThatNothingBeginsUntilResumed(worker);
	}

	/** Returns when the first of two sweeps of a partition has returned. */
	private void awaitNoticed() {
		SlowLink.pausedSweeps.forEach((count) -> count.set(0));
		await().until(() -> SlowLink.pausedSweeps.stream().allMatch((count) -> count.get() >= 2));
	}

	private void assertThatNothingBeginsUntilResumed(Worker worker) {
		await().until(() -> pending() == 0);
		assertThat(worker.handled.runs()).isEmpty();
		this.admin.resume(QUEUE);
		assertThat(worker.handled.await(MESSAGES)).extracting(Handled.Run::attempt).containsOnly(1);
		awaitEmpty();
		assertThat(worker.handled.ids()).hasSize(MESSAGES).doesNotHaveDuplicates();
	}

	private long pending() {
		return IntStream.range(0, PARTITIONS)
			.mapToLong((
					number) -> (Long) ((List<?>) this.redis.call("XPENDING", key(number, "ready"), "consumers")).get(0))
			.sum();
	}

	private static ConditionFactory await() {
		return Awaitility.await();
	}

	/** Delays reads before they are sent, and replies to them that contain messages. */
	private static final class SlowLink implements BeanPostProcessor {

		private static final String READ = Scripts.text("read");

		private static final String SWEEP = Scripts.text("sweep");

		static final Barrier questions = new Barrier();

		static final Barrier answers = new Barrier();

		static final List<AtomicInteger> pausedSweeps = IntStream.range(0, PARTITIONS)
			.mapToObj((number) -> new AtomicInteger())
			.toList();

		@Override
		public Object postProcessAfterInitialization(Object bean, String name) {
			if (bean instanceof DelayQueueRedisTemplate template) {
				template.setScriptExecutor(new DefaultScriptExecutor<>(template) {

					@Override
					public <T> T execute(RedisScript<T> script, RedisSerializer<?> argumentSerializer,
							RedisSerializer<T> resultSerializer, List<String> keys, Object... arguments) {
						boolean reads = script.getScriptAsString().equals(READ);
						if (reads) {
							questions.pass();
						}
						T reply = super.execute(script, argumentSerializer, resultSerializer, keys, arguments);
						if (reads && !((List<?>) reply).get(2).equals(0L)) {
							answers.pass();
						}
						if (script.getScriptAsString().equals(SWEEP) && Arrays.equals((byte[]) ((List<?>) reply).get(0),
								"paused".getBytes(StandardCharsets.UTF_8))) {
							pausedSweeps.get(Integer.parseInt(keys.get(0).replaceAll(".*:(\\d+)}.*", "$1")))
								.incrementAndGet();
						}
						return reply;
					}

				});
			}
			return bean;
		}

	}

	/** Lets all threads pass, or none. */
	private static final class Barrier {

		private boolean closed;

		private int waiting;

		synchronized void close() {
			this.closed = true;
		}

		synchronized void open() {
			this.closed = false;
			notifyAll();
		}

		synchronized int waiting() {
			return this.waiting;
		}

		synchronized void pass() {
			this.waiting++;
			try {
				while (this.closed) {
					wait();
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			finally {
				this.waiting--;
			}
		}

	}

}
