package io.delayqueue.sample.timeline;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.SortableId;
import io.delayqueue.sample.web.Problems;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Service;
import org.springframework.web.ErrorResponseException;

/** Operations on timelines. */
@Service
final class Timeline {

	static final String QUEUE = "timeline";

	private final DelayQueueOperations delayQueue;

	private final TimelineStore store;

	Timeline(DelayQueueOperations delayQueue, TimelineStore store) {
		this.delayQueue = delayQueue;
		this.store = store;
	}

	void add(Arrival arrival) {
		if (this.store.find(arrival.user(), arrival.msgId()) != null) {
			throw duplicate(arrival);
		}
		ScheduleRequest request = ScheduleRequest.to(QUEUE)
			.id(messageId(arrival))
			.group(arrival.user())
			.payload(arrival)
			.delay(Duration.ZERO);
		if (!this.delayQueue.schedule(request).isAccepted()) {
			throw duplicate(arrival);
		}
	}

	/** The messages after an id, or from the first one on, in the order of the ids. */
	List<TimelineEntry> page(String user, @Nullable Long after, int limit) {
		return this.store.page(user, after, limit);
	}

	TimelineEntry find(String user, long msgId) {
		TimelineEntry entry = this.store.find(user, msgId);
		if (entry == null) {
			throw Problems.notFound("unknown-message", "User '" + user + "' has no message '" + msgId + "'");
		}
		return entry;
	}

	/**
	 * Builds a message id that begins with the sortable id, which orders messages of the
	 * same due time, and ends with a hash of the user, because users with the same ids
	 * may share a partition of the queue.
	 */
	static String messageId(Arrival arrival) {
		try {
			byte[] digest = MessageDigest.getInstance("SHA-256")
				.digest(arrival.user().getBytes(StandardCharsets.UTF_8));
			return SortableId.of(arrival.msgId()) + "." + HexFormat.of().formatHex(digest, 0, 8);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static ErrorResponseException duplicate(Arrival arrival) {
		return Problems.conflict("duplicate-message",
				"User '" + arrival.user() + "' has message '" + arrival.msgId() + "' already");
	}

}
