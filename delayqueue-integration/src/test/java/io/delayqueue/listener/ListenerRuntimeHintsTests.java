package io.delayqueue.listener;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.messaging.Message;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Listener methods can be called, and their payloads read, in a native image.
 */
class ListenerRuntimeHintsTests {

	private final RuntimeHints hints = new RuntimeHints();

	ListenerRuntimeHintsTests() {
		new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(this.hints, Several.class);
	}

	@Test
	void everyListenerMethodHasAReflectionHint() {
		assertThat(Several.class.getDeclaredMethods()).filteredOn((method) -> !method.isSynthetic())
			.hasSize(5)
			.allSatisfy((Method method) -> assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(method))
				.as(method.toString())
				.accepts(this.hints));
	}

	@Test
	void everyPayloadTypeHasReflectionHints() {
		assertThat(Arrays.asList(Plain.class, Wrapped.class, Spring.class, InBatches.class, WrappedInBatches.class))
			.allSatisfy((type) -> assertThat(RuntimeHintsPredicates.reflection()
				.onType(type)
				.withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS)).as(type.getName())
				.accepts(this.hints));
	}

	record Plain(String text) {
	}

	record Wrapped(String text) {
	}

	record Spring(String text) {
	}

	record InBatches(String text) {
	}

	record WrappedInBatches(String text) {
	}

	static class Several {

		@DelayedListener(queue = "plain")
		void plain(Plain payload) {
		}

		@DelayedListener(queue = "wrapped")
		void wrapped(DelayedMessage<Wrapped> message) {
		}

		@DelayedListener(queue = "spring")
		void spring(Message<Spring> message) {
		}

		@DelayedListener(queue = "batches", batch = "2")
		void batches(List<InBatches> batch) {
		}

		@DelayedListener(queue = "wrapped-batches", batch = "2")
		void wrappedBatches(List<DelayedMessage<WrappedInBatches>> batch) {
		}

	}

}
