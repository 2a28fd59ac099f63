package io.delayqueue.store;

import java.time.Duration;
import java.util.stream.Stream;

import io.delayqueue.RateLimit;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.store.Budgets.Demand;
import io.delayqueue.store.Budgets.Grant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Stops {@code grant} after each of its writes, with and without a repeat of the call.
 * Afterwards never more permits are held than allowed, and all of them can be used.
 */
class StoppedGrantIntegrationTests {

	private static final int MOST = 6;

	private static final Duration LEASE = Duration.ofMinutes(1);

	private static final int TOKENS = 20;

	private static final FlowSettings LIMITS = new FlowSettings(new RateLimit(1, Duration.ofHours(1), TOKENS), MOST);

	@RegisterExtension
	static final StoppedScripts scripts = new StoppedScripts();

	/**
	 * A call that is stopped. Before it {@code ghost/0} is silent and held 2 messages,
	 * {@code idle/0} is silent and held none, and {@code r/0} holds 3.
	 *
	 * @param name what happens
	 * @param demand what the reader asks for
	 */
	private record Call(String name, Demand demand) {

		@Override
		public String toString() {
			return this.name;
		}

	}

	private static Stream<Call> calls() {
		return Stream.of(new Call("a reader asks", new Demand("r/0", 2, 3, 0, 5, "", 0)),
				new Call("a reader has settled its messages", new Demand("r/0", 2, 0, 0, 1, "", 0)),
				new Call("a reader returns tokens", new Demand("r/0", 2, 1, 2, 0, "", 0)),
				new Call("a reader leaves", new Demand("r/0", 2, 0, 0, 0, "", 0)),
				new Call("messages of a silent reader are gone", new Demand("r/0", 2, 3, 0, 1, "ghost/0|1", 0)));
	}

	@ParameterizedTest
	@MethodSource("calls")
	@DisplayName("row 72: a grant that stops anywhere allows no more than the limits, and all of them afterwards")
	void neverMoreThanAllowedAndNeverStuck(Call call) {
		for (boolean isRepeated : new boolean[] { true, false }) {
			int writes = 0;
			while (isStopped(call, writes, isRepeated)) {
				writes++;
			}
			assertThat(writes).isPositive();
		}
	}

	private static boolean isStopped(Call call, int writes, boolean isRepeated) {
		try (TestPartition partition = TestPartition.shared()) {
			String what = call + ", stopped after " + writes + " writes, repeated: " + isRepeated;
			Demand demand = call.demand();
			Budgets budgets = new Budgets(partition.store().calls());
			ask(budgets, new Demand("idle/0", 1, 0, 0, 1, "", 0));
			ask(budgets, new Demand("idle/0", 2, 0, 1, 0, "", 0));
			ask(budgets, new Demand("ghost/0", 1, 0, 0, 2, "", 0));
			partition.command("ZADD", Key.PERMITS, "1", "ghost/0", "1", "idle/0");
			ask(budgets, new Demand("r/0", 1, 0, 0, 3, "", 0));
			Budgets stopping = new Budgets(scripts.storeOf(partition).calls());

			boolean isStopped = scripts.stops(() -> ask(stopping, demand), writes);
			int granted = isRepeated ? ask(budgets, demand).messages() : 0;

			int held = demand.inFlight() + granted + (demand.gone().isEmpty() ? 2 : 0);
			int more = ask(budgets, new Demand("s/0", 1, 0, 0, MOST, demand.gone(), 0)).messages();
			more = ask(budgets, new Demand("s/0", 2, more, 0, MOST, demand.gone(), 0)).messages() + more;
			assertThat(held + more).as("in flight when " + what).isLessThanOrEqualTo(MOST);
			int tokens = 5 + granted + more - demand.unused();
			for (int n = 1; n <= TOKENS; n++) {
				tokens += ask(budgets, new Demand("free/0", n, 0, 0, 1, "", 0)).messages();
			}
			assertThat(tokens).as("tokens when " + what).isLessThanOrEqualTo(TOKENS);
			assertThat(used(partition, budgets)).as("used afterwards when " + what).isEqualTo(MOST);
			return isStopped;
		}
	}

	/** What a reader gets when all other readers have gone and all tokens are there. */
	private static int used(TestPartition partition, Budgets budgets) {
		partition.redis()
			.call("EVAL", "for _, name in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do"
					+ " redis.call('ZADD', KEYS[1], 1, name) end redis.call('HDEL', KEYS[2], 'full-at', 'turn')", "2",
					partition.key(Key.PERMITS), partition.key(Key.BUDGET));
		String gone = "";
		int held = 0;
		for (int call = 1; call <= 10 && held < MOST; call++) {
			Grant grant = ask(budgets, new Demand("last/0", call, held, 0, MOST - held, gone, 0));
			held += grant.messages();
			gone = grant.silent();
		}
		return held;
	}

	private static Grant ask(Budgets budgets, Demand demand) {
		return budgets.ask("orders", demand, LIMITS, LEASE);
	}

}
