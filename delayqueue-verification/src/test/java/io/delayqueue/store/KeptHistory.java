package io.delayqueue.store;

import java.time.Duration;
import java.util.Optional;

import io.delayqueue.MessageSnapshot;
import io.delayqueue.store.ReadyMessages.Entry;

import static io.delayqueue.store.States.DUE;

/**
 * A partition that can keep a history of its ended messages for a week.
 */
abstract class KeptHistory extends GroupOfTwo {

	static final String WEEK = Duration.ofDays(7).toMillis() + "|100000";

	Entry taken() {
		this.store.schedule("a", DUE, 1);
		return this.store.take("holder").get(0);
	}

	Optional<MessageSnapshot> find(String id) {
		return this.store.find(TestMessages.key(id));
	}

}
