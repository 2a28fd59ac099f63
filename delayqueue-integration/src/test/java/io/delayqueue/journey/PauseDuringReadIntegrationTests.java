package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.redis.RedisAccess;
import io.delayqueue.test.fault.Scripts;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.script.DefaultScriptExecutor;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.serializer.RedisSerializer;

import static org.assertj.core.api.Assertions.assertThat;

/** A queue is paused during a read. */
@Tag("slow")
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
		SlowLink.answers.open();
	}

	@Test
	void messagesAreReleasedWhenPauseIsNoticedBeforeTheReplyOfTheirRead() {
		SlowLink.answers.close();
		ConfigurableApplicationContext process = this.applications.start(Slow.class);
		Worker worker = process.getBean(Worker.class);
		schedule(0, MESSAGES);
		await().until(() -> SlowLink.answers.waiting() == PARTITIONS);

		process.getBean(DelayQueueAdmin.class).pause(QUEUE);
		SlowLink.answers.open();

		assertThatNothingBeginsUntilResumed(worker);
	}

	@Test
	void messagesAreReleasedWhenAHoldIsNoticedBeforeTheReplyOfTheirRead() {
		SlowLink.answers.close();
		ConfigurableApplicationContext process = this.applications.start(Slow.class);
		Worker worker = process.getBean(Worker.class);
		schedule(0, MESSAGES);
		await().until(() -> SlowLink.answers.waiting() == PARTITIONS);

		process.getBean(DelayQueueAdmin.class).hold(QUEUE, Duration.ofHours(1), "");
		SlowLink.answers.open();

		assertThatNothingBeginsUntil(worker, () -> this.admin.release(QUEUE));
	}

	@Test
	void messagesOfAGroupAreReleasedWhenItsHoldIsNoticedBeforeTheReplyOfTheirRead() {
		SlowLink.answers.close();
		ConfigurableApplicationContext process = this.applications.start(Slow.class);
		Worker worker = process.getBean(Worker.class);
		for (int number = 0; number < MESSAGES; number++) {
			this.queue.schedule(request(number).group("g"));
		}
		await().until(() -> SlowLink.answers.waiting() == 1);

		process.getBean(DelayQueueAdmin.class).hold(QUEUE, "g", Duration.ofHours(1), "");
		SlowLink.answers.open();

		assertThatNothingBeginsUntil(worker, () -> this.admin.release(QUEUE, "g"));
	}

	private void assertThatNothingBeginsUntilResumed(Worker worker) {
		assertThatNothingBeginsUntil(worker, () -> this.admin.resume(QUEUE));
	}

	private void assertThatNothingBeginsUntil(Worker worker, Runnable resume) {
		await().until(() -> pending() == 0);
		assertThat(worker.handled.runs()).isEmpty();
		resume.run();
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

	/** Delays replies that contain messages. */
	private static final class SlowLink implements BeanPostProcessor {

		private static final String READ = Scripts.text("read");

		private static final String SWEEP = Scripts.text("sweep");

		static final Barrier answers = new Barrier();

		@Override
		public Object postProcessAfterInitialization(Object bean, String name) {
			if (bean instanceof RedisAccess redis) {
				RedisTemplate<String, byte[]> template = redis.template();
				template.setScriptExecutor(new DefaultScriptExecutor<>(template) {

					@Override
					public <T> T execute(RedisScript<T> script, RedisSerializer<?> argumentSerializer,
							RedisSerializer<T> resultSerializer, List<String> keys, Object... arguments) {
						String text = script.getScriptAsString();
						T reply = super.execute(script, argumentSerializer, resultSerializer, keys, arguments);
						int count = text.equals(READ) ? 2 : text.equals(SWEEP) ? 9 : 0;
						if (count > 0 && !((List<?>) reply).get(count).equals(0L)) {
							answers.pass();
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
