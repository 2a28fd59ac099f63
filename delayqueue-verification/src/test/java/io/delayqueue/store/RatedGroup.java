package io.delayqueue.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.delayqueue.RateLimit;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.store.DueMessages.Swept;
import io.delayqueue.store.ReadyMessages.Entry;

import static io.delayqueue.store.States.DUE;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Groups with a rate limit: a burst of three messages, then one message an hour.
 */
abstract class RatedGroup extends OrderedGroup {

	static final RateLimit THREE_THEN_ONE_AN_HOUR = new RateLimit(1, Duration.ofHours(1), 3);

	final TestStore rated = this.partition.store().with(rated(0));

	static GroupSettings rated(int concurrency) {
		return new GroupSettings(0, false, false, concurrency, 100, THREE_THEN_ONE_AN_HOUR, Map.of());
	}

	void schedule(String group, int count) {
		schedule(group, 0, count);
	}

	void schedule(String group, int from, int to) {
		this.rated.schedule(IntStream.range(from, to)
			.mapToObj((i) -> TestMessages.message(group + "-" + i, DUE + i, group, i))
			.toArray(NewMessage[]::new));
	}

	Swept take(int most) {
		return take(this.rated, most);
	}

	Swept take(TestStore store, int most) {
		return store.moveAndTake("holder", most);
	}

	static List<String> ids(Swept swept) {
		return swept.read().entries().stream().map(Entry::id).toList();
	}

	void assertNextTokenInAnHour(Swept swept) {
		assertThat(swept.nextDueMillis() - this.partition.now()).isBetween(3_590_000L, 3_601_000L);
	}

}
