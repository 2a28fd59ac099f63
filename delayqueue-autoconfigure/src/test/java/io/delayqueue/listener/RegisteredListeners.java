package io.delayqueue.listener;

import java.util.concurrent.TimeUnit;

import io.delayqueue.DelayedListener;
import io.delayqueue.listener.fixture.ListenerApplication;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

import org.springframework.context.annotation.Lazy;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application with listeners that start with it, on request or with a lazy bean.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
abstract class RegisteredListeners {

	ListenerApplication application;

	DelayedListenerRegistry registry;

	@BeforeEach
	void start() {
		this.application = ListenerApplication.start(Listeners.class, Late.class);
		this.registry = this.application.registry();
	}

	@AfterEach
	void close() {
		this.application.close();
	}

	void assertRunning(boolean first, boolean second, boolean byHand) {
		assertThat(this.registry.container("first").orElseThrow().isRunning()).isEqualTo(first);
		assertThat(this.registry.container("second-id").orElseThrow().isRunning()).isEqualTo(second);
		assertThat(this.registry.container("by-hand").orElseThrow().isRunning()).isEqualTo(byHand);
	}

	static class Listeners {

		@DelayedListener(queue = "first")
		void first(String payload) {
		}

		@DelayedListener(queue = "second", id = "second-id")
		void second(String payload) {
		}

		@DelayedListener(queue = "by-hand", autoStartup = "false")
		void byHand(String payload) {
		}

	}

	@Lazy
	static class Late {

		@DelayedListener(queue = "late")
		void late(String payload) {
		}

		@DelayedListener(queue = "late-by-hand", autoStartup = "false")
		void lateByHand(String payload) {
		}

	}

}
