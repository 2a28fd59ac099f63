package io.delayqueue.listener;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.MissedPolicy;
import io.delayqueue.OverlapPolicy;
import io.delayqueue.Recurring;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.listener.DelayedListenerDefinitionException.Fault;
import io.delayqueue.listener.fixture.ListenerApplication;
import io.delayqueue.listener.fixture.ListenerFaults;
import org.junit.jupiter.api.Test;

import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Recurring schedules that listener methods declare.
 */
class RecurringListenerTests {

	@Test
	void theSchedulesOfAllMethodsAreDeclared() {
		try (ListenerApplication application = named(Digests.class).property("digest.cron", "0 0 9 * * *").start()) {
			assertThat(application.registry().declared()).containsExactlyInAnyOrder(
					RecurringSchedule.to("digests", "daily").payload("all").cron("0 0 9 * * *", "Europe/Berlin"),
					RecurringSchedule.to("digests", "often")
						.payload("")
						.every(Duration.ofMinutes(5))
						.missed(MissedPolicy.NONE)
						.overlap(OverlapPolicy.SKIP));
		}
	}

	@Test
	void theFirstScheduleIsReportedOnceAlsoIfItsBeanIsCreatedLater() {
		AtomicInteger calls = new AtomicInteger();
		try (ListenerApplication application = named(Eager.class).start()) {
			application.registry().onDeclared(calls::incrementAndGet);
			assertThat(calls).hasValue(0);
			application.later(LateDigests.class);
			assertThat(calls).hasValue(1);
			application.registry().onDeclared(calls::incrementAndGet);
			assertThat(calls).hasValue(2);
		}
	}

	@Test
	void theApplicationMustHaveAName() {
		Fault fault = ListenerFaults.onlyFault(LateDigests.class);
		assertThat(fault.problem()).contains("spring.application.name is not set");
	}

	@Test
	void invalidSchedulesAreFaults() {
		DelayedListenerDefinitionException failure = catchThrowableOfType(DelayedListenerDefinitionException.class,
				() -> named(Invalid.class).start());
		assertThat(failure.faults()).extracting((fault) -> fault.problem() + " " + fault.fix())
			.hasSize(7)
			.anySatisfy((fault) -> assertThat(fault).contains("Europe/Atlantis").contains("Correct 'zone'"))
			.anySatisfy((fault) -> assertThat(fault).contains("never does").contains("Correct 'cron'"))
			.anySatisfy((fault) -> assertThat(fault).contains("500ms").contains("Correct 'every'"))
			.anySatisfy((fault) -> assertThat(fault).contains("but not both").contains("Correct 'cron'"))
			.anySatisfy((fault) -> assertThat(fault).contains("missing").contains("Correct 'cron'"))
			.anySatisfy((fault) -> assertThat(fault).contains("no.such.property"))
			.anySatisfy((fault) -> assertThat(fault).contains("is already declared by"));
	}

	@Test
	void aMethodForExpiredMessagesDeclaresNothing() {
		DelayedListenerDefinitionException failure = catchThrowableOfType(DelayedListenerDefinitionException.class,
				() -> named(Expired.class).start());
		assertThat(failure.faults()).extracting(Fault::problem)
			.containsExactly("declares a recurring schedule, but handles expired messages only");
	}

	@Test
	void aScheduleOfAMethodThatIsNoListenerIsAFault() {
		DelayedListenerDefinitionException failure = catchThrowableOfType(DelayedListenerDefinitionException.class,
				() -> named(Unheard.class).start());
		assertThat(failure.faults()).extracting(Fault::toString)
			.hasSize(2)
			.allSatisfy((fault) -> assertThat(fault).contains("declares a recurring schedule, but is no listener"));
	}

	@Test
	void aPayloadThatTheParameterCannotBecomeIsAFault() {
		DelayedListenerDefinitionException failure = catchThrowableOfType(DelayedListenerDefinitionException.class,
				() -> named(Unreadable.class).start());
		assertThat(failure.faults()).extracting(Fault::problem)
			.hasSize(4)
			.allSatisfy((problem) -> assertThat(problem).startsWith(
					"cannot take the payload of its recurring schedule 'daily': the payload cannot be read as"));
	}

	@Test
	void aPayloadMayBecomeAnyTypeThatTheConverterReadsFromText() {
		try (ListenerApplication application = named(Readable.class).start()) {
			assertThat(application.registry().declared()).hasSize(5);
		}
	}

	private static ListenerApplication named(Class<?> bean) {
		return ListenerApplication.with(bean).property("spring.application.name", "app");
	}

	static class Digests {

		@DelayedListener(queue = "digests")
		@Recurring(key = "daily", cron = "${digest.cron}", zone = "Europe/Berlin", payload = "all")
		@Recurring(key = "often", every = "5m", missed = MissedPolicy.NONE, overlap = OverlapPolicy.SKIP)
		void send(String which) {
		}

	}

	static class LateDigests {

		@DelayedListener(queue = "lazy")
		@Recurring(key = "daily", cron = "0 0 9 * * *")
		void send(String which) {
		}

	}

	static class Eager {

	}

	record Digest(String readers) {
	}

	static class Unreadable {

		@DelayedListener(queue = "payload")
		@Recurring(key = "daily", cron = "0 0 9 * * *", payload = "all")
		void payload(Digest digest) {
		}

		@DelayedListener(queue = "number")
		@Recurring(key = "daily", cron = "0 0 9 * * *", payload = "all")
		void number(DelayedMessage<Integer> message) {
		}

		@DelayedListener(queue = "spring")
		@Recurring(key = "daily", cron = "0 0 9 * * *")
		void spring(Message<Digest> message) {
		}

		@DelayedListener(queue = "batch", batch = "10")
		@Recurring(key = "daily", cron = "0 0 9 * * *", payload = "all")
		void batch(List<Digest> digests) {
		}

	}

	static class Readable {

		@DelayedListener(queue = "text")
		@Recurring(key = "daily", cron = "0 0 9 * * *")
		void text(CharSequence text) {
		}

		@DelayedListener(queue = "number")
		@Recurring(key = "daily", cron = "0 0 9 * * *", payload = "7")
		void number(int number) {
		}

		@DelayedListener(queue = "value")
		@Recurring(key = "daily", cron = "0 0 9 * * *", payload = "LATEST")
		void value(DelayedMessage<MissedPolicy> message) {
		}

		@DelayedListener(queue = "batch", batch = "10")
		@Recurring(key = "daily", cron = "0 0 9 * * *", payload = "2027-01-01T00:00:00Z")
		void batch(List<Instant> instants) {
		}

		@DelayedListener(queue = "none")
		@Recurring(key = "daily", cron = "0 0 9 * * *", payload = "all")
		void none(@Header(name = DelayQueueHeaders.ID) String id) {
		}

	}

	static class Unheard {

		@Recurring(key = "daily", cron = "0 0 9 * * *")
		void once(String which) {
		}

		@Recurring(key = "first", cron = "0 0 9 * * *")
		@Recurring(key = "second", cron = "0 0 9 * * *")
		void twice(String which) {
		}

	}

	static class Invalid {

		@DelayedListener(queue = "invalid")
		@Recurring(key = "zone", cron = "0 0 9 * * *", zone = "Europe/Atlantis")
		@Recurring(key = "never", cron = "0 0 9 31 2 *")
		@Recurring(key = "short", every = "500ms")
		@Recurring(key = "both", cron = "0 0 9 * * *", every = "5m")
		@Recurring(key = "none")
		@Recurring(key = "property", cron = "${no.such.property}")
		@Recurring(key = "twice", every = "5m")
		@Recurring(key = "twice", every = "6m")
		void send(String which) {
		}

	}

	static class Expired {

		@DelayedListener(queue = "expiring")
		void send(String which) {
		}

		@DelayedListener(queue = "expiring", expired = true)
		@Recurring(key = "daily", cron = "0 0 9 * * *")
		void expired(String which) {
		}

	}

}
