package io.delayqueue.delivery;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.security.PrivilegedActionException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.DeferException;
import io.delayqueue.delivery.FailureNote.Reason;
import io.delayqueue.observe.MessageSpan;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.record.FailureRecord;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ReadyMessages.Entry.Special;
import io.delayqueue.store.StoredId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.Exceptions;

import org.springframework.cache.Cache;
import org.springframework.cache.interceptor.CacheOperationInvoker;
import org.springframework.core.retry.RetryException;
import org.springframework.messaging.MessageHandlingException;
import org.springframework.messaging.support.GenericMessage;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Failures of handlers that arrive in a wrapper of the JDK or of Spring.
 */
class WrappedFailureTests {

	private static final IOException CAUSE = new IOException("broken");

	static Stream<Throwable> wrappers() {
		return Stream.of(new UndeclaredThrowableException(CAUSE), new InvocationTargetException(CAUSE),
				new ExecutionException(CAUSE), new CompletionException(CAUSE), new UncheckedIOException(CAUSE),
				new PrivilegedActionException(CAUSE), new ExceptionInInitializerError(CAUSE),
				new RetryException("exhausted", CAUSE), new CacheOperationInvoker.ThrowableWrapper(CAUSE),
				new Cache.ValueRetrievalException("key", () -> "value", CAUSE),
				new MessageHandlingException(new GenericMessage<>("p"), CAUSE), Exceptions.propagate(CAUSE),
				new UndeclaredThrowableException(new ExecutionException(new CompletionException(CAUSE))));
	}

	@ParameterizedTest
	@MethodSource("wrappers")
	void theReasonNamesTheCause(Throwable wrapper) {
		Settlement settlement = settle(wrapper, Set.of());

		assertThat(settlement.reason())
			.isEqualTo(new FailureNote(Reason.HANDLER_FAILED, IOException.class.getName(), "broken"));
	}

	@ParameterizedTest
	@MethodSource("wrappers")
	void aCauseThatIsNeverRetriedIsFound(Throwable wrapper) {
		Settlement settlement = settle(wrapper, Set.of(IOException.class));

		assertThat(settlement.reason())
			.isEqualTo(new FailureNote(Reason.NEVER_RETRIED, IOException.class.getName(), "broken"));
	}

	@Test
	void aWrapperThatIsNeverRetriedIsFound() {
		assertThat(settle(new UncheckedIOException(CAUSE), Set.of(UncheckedIOException.class)).reason())
			.hasFieldOrPropertyWithValue("reason", Reason.NEVER_RETRIED);
	}

	@Test
	void anExceptionOfTheApplicationIsNotLookedThrough() {
		assertThat(settle(new IllegalStateException("own", CAUSE), Set.of(IOException.class)).reason())
			.isEqualTo(new FailureNote(Reason.HANDLER_FAILED, IllegalStateException.class.getName(), "own"));
	}

	@Test
	void aWrappedDeferralDefers() {
		Settlement settlement = settle(new ExecutionException(new DeferException(Duration.ofSeconds(3))), Set.of());

		assertThat(settlement.kind()).isEqualTo(Settlement.Kind.RETRY);
		assertThat(settlement.reason()).isNull();
	}

	private static Settlement settle(Throwable failure, Set<Class<?>> neverRetried) {
		RetrySettings retry = new RetrySettings(3, 1, 5, 1, Duration.ofMinutes(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), neverRetried);
		QueueSettings settings = new QueueSettings("orders", 1, 1, Duration.ofSeconds(30), Duration.ofDays(1), 1024,
				Duration.ofSeconds(10), Duration.ofMinutes(2), retry, GroupSettings.NONE, ExpirySettings.NEVER,
				FlowSettings.NONE, EndSettings.NONE);
		long read = System.nanoTime();
		DeliveryTask task = HandlerInvokerTests.task(
				new Entry("1-1", new StoredId("a", null), null, new FailureRecord(0, 0, 0, null), Special.NONE, -1),
				null, 0, new ReadLease(1_700_000_000_000_000L, read, read, Duration.ofHours(1)));
		return new OutcomePolicy(settings, QueueObserver.NONE).of(task, OutcomePolicy.Began.now(MessageSpan.NONE),
				failure, false);
	}

}
