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

/** Adds entries to timelines, and reads timelines. */
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

	/**
	 * Returns the entries of a user after an id, or from the first entry on, in the order
	 * of their ids.
	 */
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
	 * Returns the message id of an entry. The message id begins with the sortable id of
	 * the entry, so that messages with the same due time are delivered in the order of
	 * the ids of their entries. It ends with a hash of the user, because the entries of
	 * two users in the same partition of the queue may have the same id.
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
