package io.delayqueue.schedule;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import io.delayqueue.GroupCancelResult;
import io.delayqueue.GroupMessage;
import io.delayqueue.GroupPage;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageState;
import io.delayqueue.fleet.Wakeups;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.record.CallToken;
import io.delayqueue.store.Groups;
import io.delayqueue.store.Groups.Page;
import io.delayqueue.store.Groups.Position;
import io.delayqueue.store.Partitioner;
import io.delayqueue.store.Purges;
import io.delayqueue.store.Purges.Purged;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.RetryingCalls;
import io.delayqueue.store.StoredId;
import org.jspecify.annotations.Nullable;

/**
 * Counts, lists and cancels the messages of a group.
 */
final class GroupCalls {

	/**
	 * The most passes over the messages of a group in one cancellation. A further pass
	 * finds messages that the previous pass has missed, because their due time became
	 * earlier during that pass.
	 */
	private static final int MOST_PASSES = 5;

	private static final String ANY_ID = "any";

	private final Requests requests;

	private final Groups groups;

	private final Purges purges;

	private final RetryingCalls retryingCalls;

	private final QueueDirectory directory;

	GroupCalls(Requests requests, RedisCalls calls, RetryingCalls retryingCalls, QueueDirectory directory,
			Wakeups wakeups) {
		this.requests = requests;
		this.groups = new Groups(calls);
		this.purges = new Purges(calls, wakeups::removed);
		this.retryingCalls = retryingCalls;
		this.directory = directory;
	}

	long count(String queue, String group) {
		return partitions(queue, group).stream()
			.mapToLong((partition) -> this.retryingCalls.call(queue, () -> this.groups.count(partition, group)))
			.sum();
	}

	/**
	 * Lists the messages of a group. Several epochs (partition counts of the queue) may
	 * have messages of the group while its dead letters move to a newer epoch.
	 */
	GroupPage list(String queue, String group, @Nullable String cursor, int limit) {
		List<Partition> partitions = partitions(queue, group);
		if (limit < 1 || limit > Groups.MOST) {
			throw new InvalidMessageException("limit", Integer.toString(limit), "from 1 to " + Groups.MOST);
		}
		Position behind = (cursor != null) ? position(cursor) : null;
		List<Page> pages = partitions.stream()
			.map((partition) -> this.retryingCalls.call(queue, () -> this.groups.list(partition, group, behind, limit)))
			.toList();
		List<GroupMessage> all = pages.stream()
			.flatMap((page) -> page.messages().stream())
			.distinct()
			.sorted(Comparator.comparing(GroupMessage::dueAt)
				.thenComparing((message) -> message.id().getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned))
			.toList();
		List<GroupMessage> shown = all.stream().limit(limit).toList();
		if (shown.size() == all.size() && pages.stream().allMatch((page) -> page.next() == null)) {
			return new GroupPage(shown, Optional.empty());
		}
		GroupMessage last = shown.get(shown.size() - 1);
		return new GroupPage(shown, Optional.of(cursor(new Position(last.dueAt().toEpochMilli(), last.id()))));
	}

	GroupCancelResult cancel(String queue, String group) {
		long cancelled = 0;
		long inFlight = 0;
		for (Partition partition : partitions(queue, group)) {
			for (int pass = 0; pass < MOST_PASSES; pass++) {
				Purged removed = cancelOnce(partition, group);
				cancelled += removed.waiting();
				inFlight += removed.inFlight();
				if (removed.waiting() + removed.inFlight() == 0) {
					break;
				}
			}
		}
		return new GroupCancelResult(cancelled, inFlight);
	}

	private Purged cancelOnce(Partition partition, String group) {
		QueueSettings settings = this.requests.settings(partition.queue());
		int waiting = 0;
		int inFlight = 0;
		Position behind = null;
		do {
			Position begin = behind;
			Page page = this.retryingCalls.call(partition.queue(),
					() -> this.groups.list(partition, group, begin, Purges.MOST));
			List<StoredId> left = page.messages()
				.stream()
				.filter((message) -> message.state() != MessageState.DEAD)
				.map((message) -> new StoredId(message.id(), group))
				.toList();
			while (!left.isEmpty()) {
				List<StoredId> ids = left;
				String token = CallToken.next();
				Purged purged = this.retryingCalls.call(partition.queue(),
						() -> this.purges.purge(partition, token, settings.doneWindowOfGenerated(), false, true, ids));
				waiting += purged.waiting();
				inFlight += purged.inFlight();
				left = left.subList(purged.processed(), left.size());
			}
			behind = page.next();
		}
		while (behind != null);
		return new Purged(0, waiting, inFlight, 0);
	}

	/**
	 * Returns the partitions that may have messages of the group, one for each epoch
	 * (partition count of the queue).
	 */
	private List<Partition> partitions(String queue, String group) {
		MessageKey key = MessageKey.of(queue, ANY_ID).inGroup(group);
		QueueSettings settings = this.requests.settings(queue);
		Epochs epochs = this.retryingCalls.call(queue,
				() -> this.directory.read(queue).orElseGet(() -> this.directory.cached(settings)));
		return epochs.epochs().stream().map((epoch) -> Partitioner.of(key, epoch)).toList();
	}

	private static String cursor(Position position) {
		byte[] id = position.id().getBytes(StandardCharsets.UTF_8);
		return Base64.getUrlEncoder()
			.withoutPadding()
			.encodeToString(ByteBuffer.allocate(Long.BYTES + id.length).putLong(position.dueMillis()).put(id).array());
	}

	private static Position position(String cursor) {
		try {
			ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(cursor));
			long due = bytes.getLong();
			Position position = new Position(due,
					MessageKey.of(ANY_ID, StandardCharsets.UTF_8.decode(bytes).toString()).id());
			if (due >= 0 && cursor(position).equals(cursor)) {
				return position;
			}
		}
		catch (RuntimeException broken) {
			throw invalid(cursor);
		}
		throw invalid(cursor);
	}

	private static InvalidMessageException invalid(String cursor) {
		String shown = cursor.replaceAll("[^A-Za-z0-9_-]", "?");
		return new InvalidMessageException("cursor", shown.substring(0, Math.min(shown.length(), 20)),
				"the cursor of the previous page of the same group, or null to begin");
	}

}
