package io.delayqueue.delivery;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.delayqueue.admin.QueueHold;
import io.delayqueue.admin.QueueHold.By;
import io.delayqueue.delivery.Settlement.Hold;
import io.delayqueue.fleet.QueueHolds;
import io.delayqueue.redis.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Stores the holds that handlers request by throwing a {@code HoldException}; a hold
 * stops the delivery of a queue or of a group until a time. The writer stores a hold
 * before the consumer defers the message whose handler requested the hold. If a batch of
 * settlements contains several holds of one group, the writer stores only the hold that
 * ends last. The writer skips a partition that does not answer; the next handler that
 * gets a message of that partition can request the hold again. Safe for use by several
 * threads.
 */
final class HoldWriter {

	private static final Log logger = LogFactory.getLog(HoldWriter.class);

	private final ConsumerState state;

	private final QueueHolds queueHolds;

	HoldWriter(ConsumerState state, QueueHolds queueHolds) {
		this.state = state;
		this.queueHolds = queueHolds;
	}

	/** Stores the holds that the given settlements contain. */
	void hold(List<Settlement> settlements) {
		longest(settlements.stream().map(Settlement::hold).filter(Objects::nonNull).toList()).forEach(this::hold);
	}

	private static Collection<Hold> longest(List<Hold> holds) {
		Map<String, Hold> longest = new HashMap<>();
		holds.forEach((hold) -> longest.merge((hold.group() != null) ? hold.group() : "", hold,
				(one, other) -> one.until().isBefore(other.until()) ? other : one));
		return longest.values();
	}

	private void hold(Hold hold) {
		this.queueHolds.hold(new QueueHold(this.state.queue(), hold.group(), hold.until(), By.HANDLER,
				this.state.consumer(), hold.why()), (step) -> {
					try {
						step.run();
					}
					catch (StoreException failure) {
						this.state.gate().failed(failure);
						logger.warn("A hold of queue '" + this.state.queue()
								+ "' could not be stored in all partitions: partitions without the hold may still"
								+ " deliver messages: " + failure.getMessage());
					}
				});
	}

}
