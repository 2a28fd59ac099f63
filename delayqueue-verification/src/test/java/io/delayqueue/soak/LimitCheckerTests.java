package io.delayqueue.soak;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.delayqueue.process.fixture.Journal.Line;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Journals of the limited queue, each correct and with a broken rule. Times are ms. */
class LimitCheckerTests {

	private static final String IN_A_SECOND = "of the limited queue: more than %d in a second";

	private final List<Line> lines = new ArrayList<>();

	@Test
	void aSecondHasTheRateAndTheBurstOfTheQueue() {
		int allowed = LimitedQueue.RATE + LimitedQueue.BURST;
		for (int n = 0; n < allowed; n++) {
			handedOver(n, n % LimitedQueue.GROUPS, 5000 + n);
		}
		handedOver(allowed, 1, 6000);
		assertThat(judge()).isEmpty();

		handedOver(allowed + 1, 2, 5999);
		assertThat(judge()).containsExactly(IN_A_SECOND.formatted(allowed));
	}

	@Test
	void oneSecondHasHalfOfTheRate() {
		Set<String> accepted = new HashSet<>();
		for (int n = 0; n < 2 * LimitedProducer.AT_ONCE; n++) {
			int group = n % LimitedQueue.GROUPS;
			accepted.add(LimitedQueue.name(n, group));
			handedOver(n, group, 5000 + 40L * n);
			add(5000, "w1", LimitedQueue.END, LimitedQueue.name(n, group), "plain");
		}
		assertThat(new LimitChecker(accepted, this.lines, 0, Integer.MAX_VALUE).judge().keySet())
			.containsExactly("of the limited queue: less than half of the rate in every second");

		for (int n = 0; n < 6; n++) {
			handedOver(n, n % LimitedQueue.GROUPS, 6000);
		}
		assertThat(new LimitChecker(accepted, this.lines, 0, Integer.MAX_VALUE).judge()).isEmpty();
	}

	@Test
	void aSecondHasTheRateAndTheBurstOfAGroup() {
		int allowed = LimitedQueue.GROUP_RATE + LimitedQueue.GROUP_BURST;
		for (int n = 0; n < allowed; n++) {
			handedOver(n, 0, 5000);
		}
		handedOver(allowed, 1, 5000);
		assertThat(judge()).isEmpty();

		handedOver(allowed + 1, 0, 5500);
		assertThat(judge()).containsExactly(IN_A_SECOND.formatted(allowed));
	}

	@Test
	void nothingIsDeliveredWhileTheQueueOrItsGroupIsHeld() {
		held("g1", 5000, 6000);
		held(LimitedQueue.NAME, 8000, 9000);
		handedOver(1, 1, 5000);
		handedOver(2, 1, 6000);
		handedOver(3, 2, 5500);
		assertThat(judge()).isEmpty();

		handedOver(4, 1, 5500);
		assertThat(judge()).containsExactly("of the limited queue: delivered while held");
		this.lines.removeIf((line) -> line.id().equals(LimitedQueue.name(4, 1)));
		handedOver(5, 2, 8500);
		assertThat(judge()).containsExactly("of the limited queue: delivered while held");
	}

	@Test
	void aMarkedMessageOfAHeldGroupGoesBack() {
		held("g1", 5000, 6000);
		add(5500, "w1", LimitedQueue.HANDED_OVER, LimitedQueue.name(1, 1), "5500000,2");
		assertThat(judge()).isEmpty();
	}

	@Test
	void aHandlerBeginsNothingLongAfterAHold() {
		held("g1", 5000, 20_000);
		add(5500, "w1", LimitedQueue.BEGIN, LimitedQueue.name(1, 1), "plain");
		assertThat(judge()).isEmpty();
		add(15_000, "w1", LimitedQueue.BEGIN, LimitedQueue.name(2, 1), "plain");
		assertThat(judge()).containsExactly("of the limited queue: begun long after a hold");
		add(14_000, "soak", "resumed", "w1", "-");
		assertThat(judge()).isEmpty();
	}

	@Test
	void everyAcceptedMessageEndsAndPermitsAreKept() {
		String id = LimitedQueue.name(1, 1);
		assertThat(new LimitChecker(Set.of(id), this.lines, LimitedQueue.MAX_IN_FLIGHT + 1, 0).judge().keySet())
			.containsExactly("of the limited queue: lost or stuck", "of the limited queue: more than max-in-flight");
		add(5000, "w1", LimitedQueue.END, id, "plain");
		assertThat(new LimitChecker(Set.of(id), this.lines, LimitedQueue.MAX_IN_FLIGHT, 0).judge()).isEmpty();
	}

	@Test
	void eachPartitionKeepsAsManyEndsAsTheHistoryOfTheQueueHas() {
		int enough = SoakPlan.PARTITIONS * LimitedQueue.HISTORY;
		for (int n = 0; n < LimitedQueue.GROUPS * LimitedQueue.HISTORY; n++) {
			assertThat(new LimitChecker(Set.of(), this.lines, 0, 0).judge()).isEmpty();
			add(5000, "w1", LimitedQueue.END, LimitedQueue.name(n, n % LimitedQueue.GROUPS), "plain");
		}
		assertThat(new LimitChecker(Set.of(), this.lines, 0, enough).judge()).isEmpty();
		assertThat(new LimitChecker(Set.of(), this.lines, 0, enough - 1).judge().keySet())
			.containsExactly("of the limited queue: fewer ends in the history than its partitions keep");
	}

	private Set<String> judge() {
		return new LimitChecker(Set.of(), this.lines, 0, 0).judge().keySet();
	}

	private void handedOver(int number, int group, long millis) {
		add(millis, "w1", LimitedQueue.HANDED_OVER, LimitedQueue.name(number, group), millis * 1000 + ",0");
	}

	private void held(String subject, long millis, long until) {
		add(millis, "soak", LimitedQueue.HELD, subject, Long.toString(until));
	}

	private void add(long millis, String process, String event, String id, String more) {
		this.lines.add(new Line(millis, process, event, id, 0, more));
	}

}
