package io.delayqueue.recurring;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.Recurrence;
import io.delayqueue.RecurringResult;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.UnknownRecordException;
import io.delayqueue.fleet.Wakeups;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.record.CallToken;
import io.delayqueue.record.RecurringFields;
import io.delayqueue.schedule.Requests;
import io.delayqueue.schedule.Requests.Content;
import io.delayqueue.store.Due;
import io.delayqueue.store.DueDefinition;
import io.delayqueue.store.NewDefinition;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RecurringCalls;
import io.delayqueue.store.RecurringCalls.Answer;
import io.delayqueue.store.RecurringCalls.Changed;
import io.delayqueue.store.RecurringCalls.Found;
import io.delayqueue.store.RecurringCalls.Stop;
import io.delayqueue.store.RetryingCalls;
import org.jspecify.annotations.Nullable;

/**
 * Stores, changes and finds definitions of recurring schedules in all partitions of a
 * queue. A definition is in the partition of its group, or in the partition of its key if
 * it has no group. A call changes an existing definition in the oldest epoch (partition
 * count) that has it. A new definition goes to the oldest epoch that has messages of its
 * group, otherwise to the current epoch.
 */
final class Definitions {

	/**
	 * The most tries of a call on a definition. A try has no effect if another process
	 * changes the definition or moves it to another partition meanwhile.
	 */
	private static final int MOST_TRIES = 100;

	private final Requests requests;

	private final RecurringCalls calls;

	private final RetryingCalls retryingCalls;

	private final QueueDirectory directory;

	private final Wakeups wakeups;

	private final RecurringAdvancer advancer;

	private final DefinitionCarrier carrier;

	private final OlderDefinitions older;

	Definitions(Requests requests, RecurringCalls calls, RetryingCalls retryingCalls, QueueDirectory directory,
			Wakeups wakeups, RecurringAdvancer advancer) {
		this.requests = requests;
		this.calls = calls;
		this.retryingCalls = retryingCalls;
		this.directory = directory;
		this.wakeups = wakeups;
		this.advancer = advancer;
		this.carrier = new DefinitionCarrier(calls);
		this.older = advancer.older();
	}

	/**
	 * Makes a definition of a recurring schedule, and reads the time at which it counts
	 * as stored: a definition that another process stores after this time replaces it.
	 * @param schedule the definition
	 * @param application the application that declares the definition, {@code null} if a
	 * call creates it
	 */
	NewDefinition prepare(RecurringSchedule schedule, @Nullable String application) {
		QueueSettings settings = this.requests.settings(schedule.queue());
		Content content = this.requests.content(schedule.message());
		RecurringFields fields = new RecurringFields(schedule.recurrence(), schedule.missed(), schedule.overlap(),
				content.expiry().toString(), application);
		return this.retryingCalls.call(schedule.queue(), () -> {
			Epochs epochs = this.directory.register(settings);
			// Of two definitions with the same key, the one that was stored later is
			// valid. So that their times can be compared, always read the time of a key
			// from the same partition, whatever the group of the definition
			Partition clock = DefinitionCarrier.home(schedule.key(), null, settings.name(), epochs.current());
			long nowMicros = this.calls.nowMicros(clock);
			return new NewDefinition(schedule.key(), CallToken.next(), nowMicros, anchorMicros(schedule, nowMicros),
					content.group(), fields, content.envelope());
		});
	}

	/**
	 * Returns the time from which the interval of a definition counts: that of the
	 * definition which it replaces, if the interval is the same; otherwise the given
	 * time.
	 */
	private long anchorMicros(RecurringSchedule schedule, long nowMicros) {
		Recurrence recurrence = schedule.recurrence();
		Duration every = recurrence.every();
		if (every == null || recurrence.from() != null) {
			return nowMicros;
		}
		try {
			return find(schedule.queue(), schedule.key(), false).map((located) -> located.found().definition())
				.map(DueDefinition::record)
				.filter((before) -> every.equals(before.fields().recurrence().every())
						&& before.fields().recurrence().from() == null)
				.map((before) -> before.state().anchorMicros())
				.orElse(nowMicros);
		}
		catch (UnknownRecordException unreadable) {
			return nowMicros;
		}
	}

	private static Instant millis(long micros) {
		return Instant.ofEpochMilli((micros + 999) / 1000);
	}

	/** Stores the definition of a recurring schedule. */
	RecurringResult put(String queue, NewDefinition definition) {
		return put(this.requests.settings(queue), definition);
	}

	RecurringResult put(QueueSettings settings, NewDefinition definition) {
		Instant now = millis(definition.storedMicros());
		Instant first = definition.fields()
			.recurrence()
			.next(now, millis(definition.anchorMicros()))
			.orElseThrow(
					() -> new InvalidMessageException("until", String.valueOf(definition.fields().recurrence().until()),
							"such that at least one instant is after now, which is " + now));
		Answer answer = this.retryingCalls.call(settings.name(), () -> {
			this.directory.recurring().mark(settings.name());
			return put(settings, definition, first);
		});
		return switch (answer.changed()) {
			case CREATED -> RecurringResult.CREATED;
			case REPLACED -> RecurringResult.REPLACED;
			case UNCHANGED -> RecurringResult.UNCHANGED;
			// The first instant of the new definition has passed, and the replaced
			// definition may have an occurrence for this instant that has begun: compute
			// a later first instant
			case LATE -> put(settings, definition.storedAt(answer.nowMicros()));
			case DRAINING -> throw new QueueDrainingException(settings.name(), definition.key(),
					Instant.ofEpochMilli(answer.drainingSinceMillis()));
			default -> throw new IllegalStateException(
					"Unexpected answer about a definition: " + answer.changed() + ", which indicates a bug");
		};
	}

	/**
	 * Calls the partitions to which a definition belongs in each epoch (partition count),
	 * the oldest epoch first, until one stores the definition.
	 */
	private Answer put(QueueSettings settings, NewDefinition definition, Instant first) {
		Epochs epochs = this.directory.register(settings);
		Epoch epoch = epochs.epochs().get(0);
		for (int n = 0; n < MOST_TRIES; n++) {
			Partition home = DefinitionCarrier.home(definition.key(), definition.group(), settings.name(), epoch);
			boolean isUnique = epochs.partitions().size() == 1;
			Epochs known = epochs;
			Answer answer = call(home, definition.key(),
					() -> this.calls.put(home, known, settings, definition, first, isUnique, false));
			if (answer.changed() == Changed.DUE) {
				this.advancer.advance(home, known, definition.key());
				answer = call(home, definition.key(),
						() -> this.calls.put(home, known, settings, definition, first, isUnique, true));
			}
			if (answer.changed() == Changed.CREATED && !isUnique) {
				// Another partition may have a definition with this key and another
				// group: remove that definition
				this.older.remove(home, epochs, definition.key(), definition.storedMicros(), definition.generation());
				notify(home, this.calls.put(home, epochs, settings, definition, first, true, true));
			}
			if (answer.changed() != Changed.ELSEWHERE) {
				stored(home, first, answer);
				return answer;
			}
			if (epochs.current().number() <= home.epoch()) {
				epochs = this.directory.refreshFrom(home);
			}
			// If no newer epoch exists, a failover of Redis has undone the change of the
			// partition count: try the same partition again
			epoch = epochs.epochs()
				.stream()
				.filter((newer) -> newer.number() > home.epoch() && !newer.announced())
				.findFirst()
				.orElse(epoch);
		}
		throw new IllegalStateException("No partition of queue '" + settings.name() + "' takes a recurring schedule, "
				+ "which indicates a bug");
	}

	private void stored(Partition home, Instant first, Answer answer) {
		if (answer.isFirst()) {
			this.directory.recurring().renew(home.queue());
		}
		notify(home, answer);
		this.advancer.due(home, Due.leftNanos(first.toEpochMilli(), answer.nowMicros()));
	}

	private Answer call(Partition partition, String key, Supplier<Answer> call) {
		return this.carrier.call(partition, key, () -> this.directory.refreshFrom(partition), call);
	}

	private void notify(Partition partition, Answer answer) {
		if (answer.unparked() > 0) {
			this.wakeups.due(partition, 0);
		}
		else if (answer.headMillis() > 0) {
			this.wakeups.due(partition, Due.leftNanos(answer.headMillis(), answer.nowMicros()));
		}
	}

	/**
	 * The answer of one of the partitions that may have the definition of a recurring
	 * schedule.
	 */
	record Located(Partition partition, Found found) {
	}

	Optional<Located> find(String queue, String key, boolean withPayload) {
		Located located = this.retryingCalls.call(MessageKey.of(queue, key), this.requests.settings(queue),
				(answer) -> answer.found().definition() != null, (answer) -> answer.found().isElsewhere(),
				(candidate) -> new Located(candidate.partition(),
						this.calls.find(candidate.partition(), key, withPayload)));
		return Optional.of(located).filter((answer) -> answer.found().definition() != null);
	}

	/**
	 * Pauses or deletes the definition of a recurring schedule.
	 * @return whether the definition existed and is paused or deleted now
	 */
	boolean stop(String queue, String key, Stop stop) {
		return change(queue, key, (partition) -> this.calls.stop(partition, key, "", stop)).changed() == Changed.DONE;
	}

	/**
	 * Suspends a recurring schedule.
	 * @param due the definition: a newer definition with the same key is not suspended
	 * @param latestMillis the time after which the definition is not suspended, ms since
	 * 1970 by the clock of its partition's server
	 * @return {@link Changed#DONE} if the definition existed and is suspended now,
	 * {@link Changed#LATE} if the time has passed
	 */
	Changed suspend(String queue, DueDefinition due, long latestMillis) {
		String generation = due.record().state().generation();
		return change(queue, due.key(),
				(partition) -> this.calls.stop(partition, due.key(), generation, Stop.SUSPEND, latestMillis))
			.changed();
	}

	/**
	 * Ends the pause of a recurring schedule, or its suspension.
	 * @param isPause {@code true} to end the pause, {@code false} to end the suspension
	 * @return whether the definition exists
	 */
	boolean resume(String queue, String key, boolean isPause) {
		for (int n = 0; n < MOST_TRIES; n++) {
			Located located = find(queue, key, false).orElse(null);
			DueDefinition due = (located != null) ? located.found().definition() : null;
			if (located == null || due == null) {
				return false;
			}
			Instant now = Instant.ofEpochMilli(located.found().nowMicros() / 1000);
			Instant next = due.record().fields().recurrence().next(now, due.record().state().anchor()).orElse(null);
			Answer answer = change(queue, key, (partition) -> this.calls.resume(partition, due, isPause, next));
			if (answer.changed() == Changed.DONE) {
				if (next != null) {
					this.advancer.due(located.partition(), Due.leftNanos(next.toEpochMilli(), answer.nowMicros()));
				}
				return true;
			}
			if (answer.changed() != Changed.DIFFERS) {
				return false;
			}
		}
		throw new IllegalStateException("Recurring schedule '" + key + "' of queue '" + queue
				+ "' could not be resumed, because other calls have replaced it " + MOST_TRIES + " times");
	}

	private Answer change(String queue, String key, Function<Partition, Answer> change) {
		return this.retryingCalls.call(MessageKey.of(queue, key), this.requests.settings(queue),
				(answer) -> answer.changed() == Changed.DONE || answer.changed() == Changed.DIFFERS
						|| answer.changed() == Changed.LATE,
				(answer) -> answer.changed() == Changed.ELSEWHERE, (candidate) -> {
					Partition partition = candidate.partition();
					Answer answer = call(partition, key, () -> change.apply(partition));
					notify(partition, answer);
					return answer;
				});
	}

}
