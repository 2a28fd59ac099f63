package io.delayqueue.delivery;

import java.util.List;

import io.delayqueue.observe.QueueObserver;
import io.delayqueue.store.Repairs.Damage;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Says that messages were to be delivered whose records others have removed: such a loss
 * is never silent.
 *
 * @param queue the queue
 * @param observer is told of them
 */
record LostMessageLog(String queue, QueueObserver observer) {

	private static final Log logger = LogFactory.getLog(LostMessageLog.class);

	private static final int IDS_IN_LOG = 10;

	void report(List<String> ids) {
		if (!ids.isEmpty()) {
			this.observer.repaired(this.queue, Damage.LOST, ids);
			logger.error(ids.size() + " messages of queue '" + this.queue
					+ "' are lost: others have removed their records, so they cannot be delivered; the first of them are "
					+ ids.subList(0, Math.min(ids.size(), IDS_IN_LOG)));
		}
	}

}
