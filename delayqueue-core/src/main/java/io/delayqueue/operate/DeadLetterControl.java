package io.delayqueue.operate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageState;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.admin.DeadLetterPage;
import io.delayqueue.admin.DeadLetterSelection;
import io.delayqueue.fleet.Wakeups;
import io.delayqueue.operate.MessagePages.MessageList;
import io.delayqueue.operate.MessagePages.Placed;
import io.delayqueue.operate.MessagePages.QueuePage;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;
import io.delayqueue.record.CallToken;
import io.delayqueue.store.DeadLetters;
import io.delayqueue.store.DeadLetters.Redrive;
import io.delayqueue.store.DeadLetters.Redriven;
import io.delayqueue.store.Due;
import io.delayqueue.store.Pages.Listed;
import io.delayqueue.store.Pages.Page;
import io.delayqueue.store.Pages.Position;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.RetryingCalls;
import io.delayqueue.store.StoredId;
import org.jspecify.annotations.Nullable;

/**
 * Lists, redrives and discards dead letters for operators. Many dead letters are redriven
 * or discarded in steps of 100, so that no script runs long.
 */
final class DeadLetterControl {

	private static final int STEP = 100;

	private final Queues queues;

	private final KnownPartitions known;

	private final MessagePages pages;

	private final DeadLetters deadLetters;

	private final RetryingCalls retryingCalls;

	private final Wakeups wakeups;

	DeadLetterControl(Queues queues, KnownPartitions known, RedisCalls calls, RetryingCalls retryingCalls,
			Wakeups wakeups) {
		this.queues = queues;
		this.known = known;
		this.pages = new MessagePages(calls);
		this.deadLetters = new DeadLetters(calls);
		this.retryingCalls = retryingCalls;
		this.wakeups = wakeups;
	}

	DeadLetterPage list(String queue, @Nullable String from, int limit) {
		QueuePage page = this.pages.list(new MessageList(this.known.epochs(settings(queue)), MessageState.DEAD, null),
				from, limit, (call) -> () -> this.retryingCalls.call(queue, call));
		return new DeadLetterPage(page.messages().stream().map(DeadLetterControl::letter).toList(), page.next());
	}

	Optional<DeadLetter> find(MessageKey key) {
		this.known.epochs(settings(key.queue()));
		return this.retryingCalls.call(key, settings(key.queue()), Optional::isPresent, (answer) -> false,
				this.deadLetters::find);
	}

	boolean redrive(MessageKey key) {
		Optional<DeadLetter> letter = find(key);
		if (letter.isEmpty()) {
			return false;
		}
		QueueSettings settings = settings(key.queue());
		String token = CallToken.next();
		MessageKey found = new MessageKey(key.queue(), key.id(), letter.get().group());
		Redriven redriven = this.retryingCalls.call(found, settings,
				(answer) -> answer.redriven() + answer.refused().size() > 0, (answer) -> false,
				(candidate) -> redrive(candidate.partition(), token,
						List.of(new Redrive(StoredId.of(found), Duration.ZERO))));
		if (!redriven.refused().isEmpty()) {
			throw new QuotaExceededException(key.queue(), key.id(), found.group(), settings.groups().quota());
		}
		return redriven.redriven() > 0;
	}

	int redrive(DeadLetterSelection selection) {
		if (selection.queue().equals(DeadLetterSelection.ALL_QUEUES)) {
			int redriven = 0;
			for (String queue : this.retryingCalls.call(selection.queue(), this.known.directory()::all).keySet()) {
				if (redriven < selection.limit()) {
					redriven += redrive(new DeadLetterSelection(queue, selection.reason(), selection.limit() - redriven,
							selection.spread()));
				}
			}
			return redriven;
		}
		return each(selection, (partition, token, ids) -> {
			List<Redrive> batch = new ArrayList<>(ids.size());
			ids.forEach((id) -> batch.add(new Redrive(id, randomDelay(selection))));
			return redrive(partition, token, batch).redriven();
		});
	}

	boolean discard(MessageKey key) {
		Optional<DeadLetter> letter = find(key);
		if (letter.isEmpty()) {
			return false;
		}
		QueueSettings settings = settings(key.queue());
		String token = CallToken.next();
		MessageKey found = new MessageKey(key.queue(), key.id(), letter.get().group());
		return this.retryingCalls.call(found, settings, (discarded) -> discarded > 0, (discarded) -> false,
				(candidate) -> this.deadLetters.discard(candidate.partition(), token, settings.doneWindowOfGenerated(),
						List.of(StoredId.of(found)))) > 0;
	}

	int discard(DeadLetterSelection selection) {
		if (selection.queue().equals(DeadLetterSelection.ALL_QUEUES)) {
			throw new InvalidMessageException("queue", selection.queue(), "the name of one queue");
		}
		Duration window = settings(selection.queue()).doneWindowOfGenerated();
		return each(selection, (partition, token, ids) -> this.deadLetters.discard(partition, token, window, ids));
	}

	private QueueSettings settings(String queue) {
		return this.queues.settings(queue);
	}

	private Redriven redrive(Partition partition, String token, List<Redrive> batch) {
		QueueSettings settings = settings(partition.queue());
		Redriven redriven = this.deadLetters.redrive(partition, token, settings.doneWindowOfGenerated(),
				settings.groups().quota(), batch);
		if (redriven.firstDueMillis() >= 0) {
			this.wakeups.due(partition, Due.leftNanos(redriven.firstDueMillis(), redriven.nowMicros()));
		}
		return redriven;
	}

	/**
	 * Returns a random delay from 0 to the spread of a selection of dead letters. The
	 * delay is random because evenly spaced delays would require the number of dead
	 * letters in advance.
	 */
	private static Duration randomDelay(DeadLetterSelection selection) {
		long millis = selection.spread().toMillis();
		return Duration.ofMillis((millis > 0) ? ThreadLocalRandom.current().nextLong(millis) : 0);
	}

	/**
	 * Redrives or discards the selected dead letters in all partitions, up to the limit
	 * of the selection.
	 */
	private int each(DeadLetterSelection selection, Action action) {
		MessageList dead = new MessageList(this.known.epochs(settings(selection.queue())), MessageState.DEAD,
				selection.reason());
		int done = 0;
		for (Partition partition : dead.epochs().partitions()) {
			if (done < selection.limit()) {
				done += each(dead, partition, selection.limit() - done, action);
			}
		}
		return done;
	}

	/**
	 * Redrives or discards the dead letters that a partition has when this method begins.
	 * Later dead letters are left out, because a redriven message may become a dead
	 * letter again before this method ends, and would be redriven without end.
	 */
	private int each(MessageList dead, Partition partition, int limit, Action action) {
		int done = 0;
		Position next = Position.BEGIN_BOUNDED;
		while (next != null && done < limit) {
			Position after = next;
			int most = Math.min(STEP, limit - done);
			Page page = this.retryingCalls.call(partition.queue(), () -> this.pages.page(dead, partition, after, most));
			List<StoredId> ids = page.messages().stream().map(Listed::storedId).toList();
			if (!ids.isEmpty()) {
				String token = CallToken.next();
				done += this.retryingCalls.call(partition, ids,
						(left) -> left.isEmpty() ? 0 : action.apply(partition, token, left));
			}
			next = page.next();
		}
		return done;
	}

	/**
	 * An operation on dead letters (redrive or discard), which returns the number of
	 * changed dead letters.
	 */
	@FunctionalInterface
	private interface Action {

		int apply(Partition partition, String token, List<StoredId> ids);

	}

	private static DeadLetter letter(Placed placed) {
		Listed message = placed.message();
		return DeadLetters.letter(placed.partition(), message.storedId(), message.atMillis(), message.failure());
	}

}
