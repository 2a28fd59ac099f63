package io.delayqueue.operate;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.store.History;
import io.delayqueue.store.History.Ended;
import io.delayqueue.store.History.Position;
import io.delayqueue.store.RedisCalls;
import org.jspecify.annotations.Nullable;

/**
 * Lists how the messages of a queue have ended, the latest end first. A caller that reads
 * all pages gets the end of a message at most once, and misses no end that the history
 * still has. A page costs one call of a script for each partition. This class is
 * thread-safe.
 */
public final class HistoryPages {

	/** The largest number of ended messages on a page of the history. */
	public static final int LARGEST = History.MOST;

	private static final Comparator<Ended> LATEST_FIRST = Comparator.comparing(Ended::position)
		.thenComparing((ended) -> ended.partition().epoch())
		.thenComparing((ended) -> ended.partition().number());

	private final History history;

	/**
	 * Creates the access to the histories of queues.
	 * @param calls the access to Redis
	 */
	public HistoryPages(RedisCalls calls) {
		this.history = new History(calls);
	}

	/**
	 * A page of the history of a queue.
	 *
	 * @param ends the ends of messages, the latest first
	 * @param next the cursor of the next page, {@code null} if this page is the last
	 */
	public record EndsPage(List<Ended> ends, @Nullable String next) {
	}

	/**
	 * Lists one page of the history of a queue.
	 * @param epochs the queue with its partitions
	 * @param from the cursor that the previous page returned; {@code null} for the first
	 * page
	 * @param limit the most ends on the page, 1 to {@value #LARGEST}
	 * @param retries wraps each call to a partition, for example to repeat a failed call
	 * @return the page
	 * @throws InvalidMessageException if {@code from} or {@code limit} is invalid
	 */
	public EndsPage list(Epochs epochs, @Nullable String from, int limit,
			UnaryOperator<Supplier<List<Ended>>> retries) {
		if (limit < 1 || limit > LARGEST) {
			throw new InvalidMessageException("limit", Integer.toString(limit), "from 1 to " + LARGEST);
		}
		String list = epochs.queue() + "\nhistory";
		Cursor<Position> cursor = (from == null) ? new Cursor<>(0, 0, Position.BEGIN)
				: Cursor.parse(from, "page of the same history", list, HistoryPages::position);
		List<Ended> found = new ArrayList<>();
		for (Partition partition : epochs.partitions()) {
			boolean isBehind = cursor.reaches(partition)
					&& !(partition.epoch() == cursor.epoch() && partition.number() == cursor.number());
			found.addAll(
					retries.apply(() -> this.history.list(partition, cursor.position(), isBehind, limit + 1)).get());
		}
		found.sort(LATEST_FIRST);
		if (found.size() <= limit) {
			return new EndsPage(found, null);
		}
		List<Ended> page = List.copyOf(found.subList(0, limit));
		Ended last = page.get(limit - 1);
		return new EndsPage(page, Cursor.text(list, last.partition(), bytes(last.position())));
	}

	private static byte[] bytes(Position position) {
		return ByteBuffer.allocate(2 * Long.BYTES).putLong(position.millis()).putLong(position.sequence()).array();
	}

	private static Position position(byte[] bytes) {
		ByteBuffer content = ByteBuffer.wrap(bytes);
		Position position = new Position(content.getLong(), content.getLong());
		if (content.hasRemaining() || position.millis() < 0 || position.sequence() < 0) {
			throw new IllegalArgumentException("Not a position in a history");
		}
		return position;
	}

}
