package io.delayqueue.journey;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.delayqueue.DeferException;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedListenerErrorHandler;
import io.delayqueue.DelayedListenerInterceptor;
import io.delayqueue.DelayedMessage;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.RetryAfterException;
import io.delayqueue.journey.fixture.CustomizedApplication;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.Started;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Error handlers of listeners, and interceptors around them.
 */
class ErrorHandlerIntegrationTests extends CustomizedApplication {

	@Configuration(proxyBeanMethods = false)
	static class Deciding {

		final Handled handled = new Handled();

		final List<String> decided = new CopyOnWriteArrayList<>();

		final CountDownLatch leaseLost = new CountDownLatch(1);

		@DelayedListener(queue = "orders", errorHandler = "deciding", interceptors = "counting")
		void handle(DelayedMessage<String> message) throws InterruptedException {
			this.handled.add(message);
			if (message.payload().equals("hang") && message.attempt() == 1) {
				Awaitility.await().until(message::isLeaseLost);
				this.leaseLost.countDown();
				throw new IllegalStateException("stopped half-way");
			}
			if (message.attempt() == 1 && this.handled.runs().size() == 1) {
				throw new IllegalStateException("first");
			}
		}

		@Bean
		DelayedListenerErrorHandler deciding() {
			return (message, failure) -> {
				this.decided.add(failure.getClass().getSimpleName());
				switch (new String(message.payload(), StandardCharsets.UTF_8)) {
					case "\"later\"" -> throw new RetryAfterException(Duration.ofMillis(700), "later", failure);
					case "\"defer\"" -> throw new DeferException(Duration.ofMillis(50));
					case "\"again\"" -> throw failure;
					default -> {
					}
				}
			};
		}

		@Bean
		DelayedListenerInterceptor counting() {
			return (message, next) -> next.proceed();
		}

	}

	@Test
	void handledFailureAcknowledgesTheMessage() {
		Started<Deciding> app = start();
		app.schedule("orders", "m", "forgive");
		app.awaitGone("orders", "m");
		assertThat(app.bean().handled.runs()).hasSize(1);
		assertThat(app.bean().decided).containsExactly("IllegalStateException");
	}

	@Test
	void errorHandlerMaySetTheNextDueTime() {
		Started<Deciding> app = start();
		app.schedule("orders", "m", "later");
		List<Handled.Run> runs = app.bean().handled.await(2);
		assertThat(Duration.between(runs.get(0).at(), runs.get(1).at())).isGreaterThanOrEqualTo(Duration.ofMillis(700));
		assertThat(runs.get(1).attempt()).isEqualTo(2);
		app.awaitGone("orders", "m");
	}

	@Test
	void errorHandlerMayDefer() {
		Started<Deciding> app = start();
		app.schedule("orders", "m", "defer");
		assertThat(app.bean().handled.await(2).get(1).attempt()).isEqualTo(1);
		app.awaitGone("orders", "m");
	}

	@Test
	void errorHandlerMayRethrowTheFailure() {
		this.applications.with("delayqueue.defaults.max-attempts=1");
		Started<Deciding> app = start();
		app.schedule("orders", "m", "again");
		Awaitility.await()
			.until(() -> app.queue()
				.find("orders", "m")
				.map(MessageSnapshot::state)
				.orElseThrow() == MessageState.DEAD);
		assertThat(app.queue().find("orders", "m").orElseThrow().lastFailure()).contains("HANDLER_FAILED", "first");
	}

	/**
	 * The lease check also applies to a message that no other consumer has reclaimed yet,
	 * whose acknowledgement Redis would accept.
	 */
	@Test
	void messageIsNotAcknowledgedAfterItsListenerDetectedTheLostLease() throws InterruptedException {
		this.applications.with("delayqueue.defaults.visibility-timeout=1s");
		Started<Deciding> app = start();
		app.schedule("orders", "warm");
		app.awaitGone("orders", "warm");
		app.schedule("orders", "m", "hang");
		app.bean().handled.await(2);
		// No heartbeat arrives: by the consumer's own clock the lease ends
		this.way.refuse();
		this.way.cutAll();
		assertThat(app.bean().leaseLost.await(2, TimeUnit.MINUTES)).isTrue();
		this.way.pass();

		List<Handled.Run> runs = app.bean().handled.await(3);
		assertThat(runs.get(2).id()).isEqualTo("m");
		assertThat(runs.get(2).attempt()).isEqualTo(2);
		app.awaitGone("orders", "m");
	}

	private Started<Deciding> start() {
		return Started.of(this.applications.start(Deciding.class), Deciding.class);
	}

}
