package io.delayqueue.recurring;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.RecurringOperations;
import io.delayqueue.RecurringPage;
import io.delayqueue.RecurringResult;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.RecurringSnapshot;
import io.delayqueue.RecurringSnapshot.Counts;
import io.delayqueue.RecurringSnapshot.Marks;
import io.delayqueue.RecurringSnapshot.Policies;
import io.delayqueue.ScheduleOutcomeUnknownException;
import io.delayqueue.ScheduleResult;
import io.delayqueue.fleet.Fleet;
import io.delayqueue.fleet.Wakeups;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.queue.Partition;
import io.delayqueue.record.RecurringFields;
import io.delayqueue.record.RecurringRecord;
import io.delayqueue.schedule.DelayQueueTemplate;
import io.delayqueue.schedule.Requests;
import io.delayqueue.schedule.Requests.Content;
import io.delayqueue.store.Declarations;
import io.delayqueue.store.DueDefinition;
import io.delayqueue.store.Expiry;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RecurringCalls;
import io.delayqueue.store.RecurringCalls.Page;
import io.delayqueue.store.RecurringCalls.Stop;
import io.delayqueue.store.RetryingCalls;
import org.jspecify.annotations.Nullable;

/**
 * Implements {@link RecurringOperations} with calls to Redis.
 */
public class RecurringTemplate implements RecurringOperations {

	private static final int MOST_OF_A_PAGE = 1000;

	private final DelayQueueTemplate messages;

	private final Requests requests;

	private final RecurringCalls calls;

	private final RetryingCalls retryingCalls;

	private final QueueDirectory directory;

	final Definitions definitions;

	/**
	 * Creates the operations of one process on recurring schedules.
	 * @param messages schedules messages
	 * @param requests creates messages from requests
	 * @param calls the access to the definitions in Redis
	 * @param retryingCalls repeats failed calls to Redis
	 * @param directory the directory of queues and their partition counts
	 * @param wakeups notifies the process that sweeps a partition if a new message is due
	 * before all other messages of the partition
	 * @param advancer advances definitions that are due soon
	 */
	public RecurringTemplate(DelayQueueTemplate messages, Requests requests, RecurringCalls calls,
			RetryingCalls retryingCalls, QueueDirectory directory, Wakeups wakeups, RecurringAdvancer advancer) {
		this.messages = messages;
		this.requests = requests;
		this.calls = calls;
		this.retryingCalls = retryingCalls;
		this.directory = directory;
		this.definitions = new Definitions(requests, calls, retryingCalls, directory, wakeups, advancer);
	}

	/**
	 * Creates the object that stores the recurring schedules that listeners of this
	 * process declare.
	 * @param declarations the access to the declarations of all processes
	 * @param fleet the members, the processes that consume queues
	 * @param gate stops calls while Redis is unreachable
	 * @param tasks runs the checks of the declared schedules
	 * @return the object, which declares no schedules yet
	 */
	public DeclaredSchedules declared(Declarations declarations, Fleet fleet, RedisGate gate, TaskPool tasks) {
		return new DeclaredSchedules(declarations, this.definitions, fleet, gate, tasks);
	}

	@Override
	public RecurringResult createOrReplace(RecurringSchedule schedule) {
		return this.definitions.put(schedule.queue(), this.definitions.prepare(schedule, null));
	}

	@Override
	public boolean pause(String queue, String key) {
		return this.definitions.stop(queue, key, Stop.PAUSE);
	}

	@Override
	public boolean resume(String queue, String key) {
		return this.definitions.resume(queue, key, true);
	}

	@Override
	public Optional<ScheduleResult> runNow(String queue, String key) {
		return this.definitions.find(queue, key, true).map((located) -> {
			DueDefinition due = located.found().definition();
			byte[] envelope = located.found().envelope();
			if (due == null || envelope == null) {
				throw new IllegalStateException(
						"The definition was read without the envelope of its messages, which indicates a bug");
			}
			RecurringRecord record = due.record();
			try {
				return this.messages.schedule(queue,
						new Content(record.group(), Expiry.of(record.fields().expiry()), envelope));
			}
			catch (ScheduleOutcomeUnknownException unknown) {
				throw ScheduleOutcomeUnknownException.ofOccurrence(queue, key, unknown.messageId(), unknown.getCause());
			}
		});
	}

	@Override
	public boolean delete(String queue, String key) {
		return this.definitions.stop(queue, key, Stop.DELETE);
	}

	@Override
	public Optional<RecurringSnapshot> get(String queue, String key) {
		return this.definitions.find(queue, key, false).map((located) -> {
			DueDefinition due = located.found().definition();
			if (due == null) {
				throw new IllegalStateException("The definition was read without its fields, which indicates a bug");
			}
			return snapshot(queue, due, located.found().nowMicros());
		});
	}

	@Override
	public RecurringPage list(String queue, @Nullable String cursor, int limit) {
		if (limit < 1 || limit > MOST_OF_A_PAGE) {
			throw new InvalidMessageException("limit", Integer.toString(limit), "from 1 to " + MOST_OF_A_PAGE);
		}
		List<Partition> partitions = this.retryingCalls
			.call(queue, () -> this.directory.find(this.requests.settings(queue)))
			.partitions();
		Position at = Position.of(cursor, partitions);
		List<RecurringSnapshot> schedules = new ArrayList<>();
		while (at.partition < partitions.size() && schedules.size() < limit) {
			Position position = at;
			Page page = this.retryingCalls.call(queue, () -> this.calls.page(partitions.get(position.partition),
					position.cursor, limit - schedules.size()));
			page.definitions().forEach((due) -> schedules.add(snapshot(queue, due, page.nowMicros())));
			at = page.cursor().equals("0") ? new Position(at.partition + 1, "0")
					: new Position(at.partition, page.cursor());
		}
		return new RecurringPage(schedules, at.text(partitions));
	}

	/**
	 * The position at which the next page of a list of recurring schedules begins: the
	 * index of a partition, and a cursor of Redis in the partition.
	 */
	private record Position(int partition, String cursor) {

		static Position of(@Nullable String text, List<Partition> partitions) {
			if (text == null) {
				return new Position(0, "0");
			}
			int end = text.lastIndexOf('.');
			String cursor = text.substring(end + 1);
			for (int n = 0; n < partitions.size(); n++) {
				if (end > 0 && partitions.get(n).place().replace(':', '-').equals(text.substring(0, end))
						&& cursor.matches("\\d{1,19}")) {
					return new Position(n, cursor);
				}
			}
			throw new InvalidMessageException("cursor", text.replaceAll("[^A-Za-z0-9.-]", "?"),
					"the cursor of the previous page, or be left out for the first page");
		}

		@Nullable String text(List<Partition> partitions) {
			return (this.partition < partitions.size())
					? partitions.get(this.partition).place().replace(':', '-') + "." + this.cursor : null;
		}

	}

	private static RecurringSnapshot snapshot(String queue, DueDefinition due, long nowMicros) {
		RecurringRecord record = due.record();
		RecurringFields fields = record.fields();
		RecurringRecord.State state = record.state();
		boolean isStopped = state.isStopped() || due.atMillis() == DueDefinition.NEVER || due.atMillis() == 0;
		return new RecurringSnapshot(queue, due.key(), record.group(), fields.recurrence(),
				new Policies(fields.missed(), fields.overlap()),
				new RecurringSnapshot.State(state.stored(), Instant.ofEpochMilli(nowMicros / 1000),
						isStopped ? null : Instant.ofEpochMilli(due.atMillis()),
						new Marks(instant(state.pausedMillis()), instant(state.suspendedMillis()),
								fields.application()),
						state.last(), new Counts(state.counts().missed(), state.counts().skipped())));
	}

	private static @Nullable Instant instant(long millis) {
		return (millis > 0) ? Instant.ofEpochMilli(millis) : null;
	}

}
