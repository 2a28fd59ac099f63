package io.delayqueue.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import io.delayqueue.observe.QueueObserver;
import io.delayqueue.store.NewerRecordException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Leaves messages that a newer version of the library has written to processes that can
 * read them. They are given back without blame, and wait before they are delivered again:
 * the longer they are late the longer, so that processes which cannot read them do not
 * hand them to each other without end.
 *
 * @param queue the queue
 * @param observer is told of them
 * @param logged the versions that the log tells of already
 */
record NewerRecordLog(String queue, QueueObserver observer, Set<Character> logged) {

	private static final Log logger = LogFactory.getLog(NewerRecordLog.class);

	NewerRecordLog(String queue, QueueObserver observer) {
		this(queue, observer, ConcurrentHashMap.newKeySet());
	}

	/**
	 * When such a message is to be delivered again, if nobody can say how often it was:
	 * when it expires at the latest, so that whoever can read it does not miss that.
	 * @param expiryMillis before when an attempt may begin, ms since 1970, -1 for ever
	 * @param nowMillis the time of Redis, ms since 1970
	 */
	static long againMillis(NewerRecordException newer, long expiryMillis, long nowMillis) {
		Duration lateness = Duration.ofMillis(nowMillis - newer.dueMillis());
		long again = nowMillis + Settlement.pauseAfter(lateness).toMillis();
		return (expiryMillis > nowMillis) ? Math.min(again, expiryMillis) : again;
	}

	/** Messages have been given back. */
	void report(List<NewerRecordException> givenBack) {
		if (givenBack.isEmpty()) {
			return;
		}
		this.observer.released(this.queue, givenBack.size());
		Map<Character, String> problems = givenBack.stream()
			.collect(Collectors.toMap(NewerRecordException::version, (newer) -> String.valueOf(newer.getMessage()),
					(one, other) -> one));
		problems.forEach((version, problem) -> {
			if (this.logged.add(version)) {
				logger.warn("Messages of queue '" + this.queue + "' were written by a newer version of this library ("
						+ problem + "). This process gives them back, again and again, until one of the newer"
						+ " version takes them; let all processes have it");
			}
		});
	}

}
