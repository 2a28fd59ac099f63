package io.delayqueue.maintain;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageState;
import io.delayqueue.ScheduleResult;
import io.delayqueue.fleet.Wakeups;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;
import io.delayqueue.record.CallToken;
import io.delayqueue.record.Envelope;
import io.delayqueue.record.Sha256;
import io.delayqueue.record.UnreadableRecordException;
import io.delayqueue.store.DeadLetters;
import io.delayqueue.store.Due;
import io.delayqueue.store.Expiry;
import io.delayqueue.store.KnownMessages;
import io.delayqueue.store.KnownMessages.FoundMessage;
import io.delayqueue.store.NewMessage;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.RetryingCalls;
import io.delayqueue.store.ScheduledMessages;
import io.delayqueue.store.ScheduledMessages.Answers;
import io.delayqueue.store.ScheduledMessages.Stored;
import io.delayqueue.store.StoredId;

/**
 * Moves single dead letters to the dead-letter queue of their queue. A move that has
 * stopped at any step can be repeated safely.
 * <ol>
 * <li>The dead-letter queue gets a copy of the dead letter: the unchanged payload, the
 * group, the headers, and further headers about the original. The id of the copy and the
 * token of its call follow from the queue, the group, the id and the time of death of the
 * original, so that a repeated call to Redis stores no second copy, for an hour after the
 * copy has been handled.</li>
 * <li>The original is removed from its own queue, unless it has been redriven since its
 * time of death.</li>
 * </ol>
 */
final class DeadLetterCopies {

	/** Header of the copy with the queue of the original. */
	static final String QUEUE = "delayqueue-dead-letter-queue";

	/** Header of the copy with the id of the original. */
	static final String ID = "delayqueue-dead-letter-id";

	/** Header of the copy with the number of failed attempts of the original. */
	static final String ATTEMPTS = "delayqueue-dead-letter-attempts";

	/**
	 * Header of the copy with the reason why the original became a dead letter, as text.
	 */
	static final String REASON = "delayqueue-dead-letter-reason";

	/**
	 * Header of the copy with all queues in which the message has been a dead letter,
	 * separated by spaces.
	 */
	static final String PATH = "delayqueue-dead-letter-path";

	/**
	 * The time after the end of a copy within which another process repeats a move that a
	 * killed process has begun.
	 */
	private static final Duration REPEATED = Duration.ofHours(1);

	private final Queues queues;

	private final KnownMessages messages;

	private final ScheduledMessages scheduled;

	private final DeadLetters deadLetters;

	private final RetryingCalls retryingCalls;

	private final QueueDirectory directory;

	private final Wakeups wakeups;

	private final QueueObserver observer;

	DeadLetterCopies(Queues queues, RedisCalls calls, RetryingCalls retryingCalls, QueueDirectory directory,
			Wakeups wakeups, QueueObserver observer) {
		this.queues = queues;
		this.messages = new KnownMessages(calls);
		this.scheduled = new ScheduledMessages(calls, wakeups::removed);
		this.deadLetters = new DeadLetters(calls);
		this.retryingCalls = retryingCalls;
		this.directory = directory;
		this.wakeups = wakeups;
		this.observer = observer;
	}

	/**
	 * Moves a dead letter to the dead-letter queue of its queue.
	 * @param from the partition of the dead letter
	 * @param id the id and the group of the dead letter
	 * @param diedMillis the time of death of the dead letter, ms since 1970
	 * @return why the dead letter could not be moved, empty if the dead letter has been
	 * moved or no longer exists
	 */
	Optional<String> move(Partition from, StoredId id, long diedMillis) {
		String target = this.queues.settings(from.queue()).ends().deadLetterQueue();
		FoundMessage found = this.messages.find(from, id);
		if (target == null || found == null || found.state() != MessageState.DEAD
				|| found.placeMillis() != diedMillis) {
			return Optional.empty();
		}
		NewMessage copy;
		try {
			copy = copy(found, diedMillis);
		}
		catch (UnreadableRecordException unreadable) {
			return Optional.of("its record cannot be read: " + unreadable.getMessage());
		}
		if (path(found).contains(target)) {
			// Another application moves the dead letters of the dead-letter queue back
			return Optional.of("it has been a dead letter of queue '" + target
					+ "' before, so the dead-letter queues form a circle");
		}
		Stored stored = store(this.queues.settings(target), copy);
		return switch (stored) {
			case CREATED, REPLACED, POSTPONED, SUPERSEDED, ENDED, DUPLICATE, SCHEDULED, PARKED, READY, PENDING, DONE,
					DEAD -> {
				this.retryingCalls.call(from, List.of(id), (left) -> !left.isEmpty() && this.deadLetters.moved(from,
						CallToken.next(), this.queues.settings(from.queue()).doneWindowOfGenerated(), id, diedMillis));
				yield Optional.empty();
			}
			case TOO_FAR, EXPIRES, FULL, DRAINING, ELSEWHERE ->
				Optional.of("queue '" + target + "' has refused it: " + stored);
		};
	}

	private Stored store(QueueSettings settings, NewMessage copy) {
		MessageKey key = new MessageKey(settings.name(), copy.id(), copy.group());
		this.retryingCalls.call(settings.name(), () -> this.directory.register(settings));
		return this.retryingCalls.call(key, settings, (stored) -> stored != Stored.ELSEWHERE,
				(stored) -> stored == Stored.ELSEWHERE, (candidate) -> store(candidate.partition(), settings, copy));
	}

	private Stored store(Partition partition, QueueSettings settings, NewMessage copy) {
		Answers answers = this.scheduled.schedule(partition, this.directory.cached(settings), settings, List.of(copy));
		Stored stored = answers.answers().get(0).stored();
		if (answers.unparked() > 0 || answers.newHead()) {
			this.wakeups.due(partition, 0);
		}
		if (stored == Stored.CREATED) {
			this.observer.scheduled(settings.name(), ScheduleResult.Outcome.CREATED);
		}
		return stored;
	}

	private static NewMessage copy(FoundMessage found, long diedMillis) {
		Envelope original = found.message().envelope();
		String queue = found.partition().queue();
		String group = (original.group() != null) ? original.group() : "";
		String name = hash(String.join("\0", queue, group, found.id(), Long.toString(diedMillis)));
		Map<String, String> headers = new LinkedHashMap<>(original.headers());
		headers.put(QUEUE, queue);
		headers.put(ID, found.id());
		headers.put(ATTEMPTS, Integer.toString(found.failure().attempts()));
		headers.put(REASON, String.valueOf(found.failure().reason()));
		List<String> path = new ArrayList<>(path(found));
		path.add(queue);
		headers.put(PATH, String.join(" ", path));
		Envelope envelope = new Envelope(CallToken.lastingOf(name, REPEATED), original.group(), headers,
				original.payload());
		return new NewMessage("dead-" + name.substring(CallToken.LENGTH), Due.in(Duration.ZERO), original.group(),
				Expiry.NEVER, DuplicatePolicy.keep(), envelope.toBytes());
	}

	private static List<String> path(FoundMessage found) {
		String path = found.message().envelope().headers().get(PATH);
		return (path != null) ? List.of(path.split(" ")) : List.of();
	}

	/**
	 * Returns a hash of the text: 43 characters that are valid in message ids and call
	 * tokens.
	 */
	private static String hash(String text) {
		return Base64.getUrlEncoder().withoutPadding().encodeToString(Sha256.of(text));
	}

}
