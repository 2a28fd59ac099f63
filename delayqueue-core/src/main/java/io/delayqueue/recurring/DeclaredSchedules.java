package io.delayqueue.recurring;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.delayqueue.DelayQueueException;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.RecurringSchedule;
import io.delayqueue.UnknownRecordException;
import io.delayqueue.fleet.Fleet;
import io.delayqueue.lifecycle.Intervals;
import io.delayqueue.lifecycle.Pause;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Task;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.store.Declarations;
import io.delayqueue.store.Declarations.All;
import io.delayqueue.store.Declarations.Declaration;
import io.delayqueue.store.Declarations.Name;
import io.delayqueue.store.Members.Member;
import io.delayqueue.store.NewDefinition;
import io.delayqueue.store.RecurringCalls.Changed;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Stores the recurring schedules that this process declares for its application, and
 * suspends schedules that no process of the application declares any more. A member is a
 * process that consumes queues and is listed in Redis.
 * <ol>
 * <li>Each process stores in Redis, in one hash for all members, the names of the
 * schedules that it declares.</li>
 * <li>Of the listed members that declare a schedule, the member that has been listed for
 * longest stores the definition of the schedule. So a definition changes only once during
 * an update of the application: when the last process of the old version has ended.</li>
 * <li>The member of the application that has been listed for longest suspends each
 * schedule that a former member has declared and that no listed member declares. This
 * member also removes the declarations of the members that are no longer listed. A member
 * that declares a schedule no more, because its listener was removed, suspends it itself
 * if no other listed member declares it.</li>
 * </ol>
 * Any process may repeat any of these steps. What a process has read about other
 * processes may be old, because the process was frozen. So a process first reads the
 * clock of the partition, then the declarations and the list of members, and then changes
 * a definition. The script changes nothing if another process has stored the definition
 * since that time, and suspends nothing more than 2 s after that time. A process that
 * declares no schedules makes no call to Redis.
 */
public final class DeclaredSchedules {

	private static final Log logger = LogFactory.getLog(DeclaredSchedules.class);

	private final Declarations declarations;

	private final Definitions definitions;

	private final OrphanedSchedules orphans;

	private final Fleet fleet;

	private final TaskPool tasks;

	private final Intervals intervals;

	private final RedisGate gate;

	// guarded by this

	private @Nullable Task task;

	// written before the background work begins

	private volatile String application = "";

	private volatile Supplier<List<RecurringSchedule>> declared = List::of;

	// used only by the thread of the background work

	private final Set<Name> stored = new HashSet<>();

	private final Set<Name> refused = new HashSet<>();

	private List<Member> seen = List.of();

	private Set<Name> written = Set.of();

	/** Schedules that this process declares no more and has not suspended yet. */
	private final Set<Name> dropped = new HashSet<>();

	private long readAtNanos;

	private long storedAtNanos = System.nanoTime();

	DeclaredSchedules(Declarations declarations, Definitions definitions, Fleet fleet, RedisGate gate, TaskPool tasks) {
		this.declarations = declarations;
		this.definitions = definitions;
		this.orphans = new OrphanedSchedules(declarations, definitions);
		this.fleet = fleet;
		this.tasks = tasks;
		this.intervals = tasks.intervals();
		this.readAtNanos = System.nanoTime() - this.intervals.declarationsOfOthers().toNanos();
		this.gate = gate;
	}

	/**
	 * Begins to store the recurring schedules that this process declares for an
	 * application. Further calls of this method have no effect.
	 * @param application the name of the application
	 * @param declared supplies the schedules that this process declares
	 */
	public synchronized void declare(String application, Supplier<List<RecurringSchedule>> declared) {
		if (this.task == null) {
			this.application = application;
			this.declared = declared;
			this.task = this.tasks.task("delayqueue-declared",
					() -> this.gate.run(() -> Pause.of(work()), () -> this.intervals.declarations().toNanos()));
			this.task.wake();
		}
	}

	/**
	 * Checks the declared schedules at once, instead of at the next interval, so that
	 * schedules that are not stored yet are stored.
	 */
	public synchronized void storeNow() {
		if (this.task != null) {
			this.task.wake();
		}
	}

	private long work() {
		Map<Name, RecurringSchedule> own = this.declared.get()
			.stream()
			.collect(Collectors.toMap((schedule) -> new Name(schedule.queue(), schedule.key()), (schedule) -> schedule,
					(first, second) -> first));
		List<Member> members = this.fleet.roster().members();
		boolean isListed = members.stream().anyMatch((member) -> member.name().equals(this.fleet.member()));
		if (!isListed || (own.isEmpty() && this.written.isEmpty() && this.dropped.isEmpty())) {
			return this.intervals.declarations().toNanos();
		}
		boolean isNew = !members.equals(this.seen) || !own.keySet().equals(this.written);
		if (isNew || System.nanoTime() - this.readAtNanos >= this.intervals.declarationsOfOthers().toNanos()) {
			reconcile(own, members, isNew);
		}
		return this.intervals.declarations().toNanos();
	}

	private void reconcile(Map<Name, RecurringSchedule> own, List<Member> members, boolean isNew) {
		if (!own.keySet().equals(this.written)) {
			this.written.stream().filter((name) -> !own.containsKey(name)).forEach(this.dropped::add);
			this.stored.removeAll(this.dropped);
			write(own.keySet());
		}
		this.dropped.removeAll(own.keySet());
		All all = this.declarations.read();
		if (!own.isEmpty()
				&& all.declarations().stream().noneMatch((one) -> isOwn(one) && one.schedules().equals(own.keySet()))) {
			// Another member has removed the declaration of this process, because this
			// process was missing in the list of members for a while
			write(own.keySet());
			this.stored.clear();
			all = this.declarations.read();
		}
		if (!all.since().containsKey(this.fleet.member())) {
			// This process was frozen, and is not a member until its next refresh
			return;
		}
		List<Declaration> living = all.living(this.application);
		if (System.nanoTime() - this.storedAtNanos >= this.intervals.declared().toNanos()) {
			this.stored.clear();
			this.storedAtNanos = System.nanoTime();
		}
		own.forEach((name, schedule) -> {
			if (!isFirst(living, name)) {
				this.stored.remove(name);
			}
			else if (!this.stored.contains(name)) {
				store(name, schedule);
			}
		});
		if (!living.isEmpty() && isOwn(living.get(0)) && !all.incomplete().contains(this.application)) {
			this.orphans.suspend(this.application, all);
		}
		this.dropped.removeIf((name) -> this.orphans.suspend(this.application, name) != Changed.LATE);
		this.seen = members;
		// Read the declarations again soon, because a new member is listed shortly before
		// it writes its declaration
		this.readAtNanos = System.nanoTime()
				- (isNew ? this.intervals.declarationsOfOthers().minus(this.intervals.declarations()).toNanos() : 0);
	}

	private void write(Set<Name> names) {
		if (names.isEmpty()) {
			this.declarations.remove(Set.of(this.fleet.member()));
		}
		else {
			this.declarations.write(new Declaration(this.fleet.member(), this.application, names));
		}
		this.written = Set.copyOf(names);
	}

	private boolean isOwn(Declaration declaration) {
		return declaration.member().equals(this.fleet.member());
	}

	/**
	 * Returns whether this process has been listed for longest of all members that
	 * declare a schedule.
	 */
	private boolean isFirst(List<Declaration> living, Name name) {
		return living.stream()
			.filter((declaration) -> declaration.schedules().contains(name))
			.findFirst()
			.filter(this::isOwn)
			.isPresent();
	}

	private void store(Name name, RecurringSchedule schedule) {
		try {
			String other = otherOwner(name);
			if (other == null) {
				if (put(name, schedule)) {
					this.refused.remove(name);
				}
				return;
			}
			if (this.refused.add(name)) {
				logger.warn("Recurring schedule '" + name.key() + "' of queue '" + name.queue()
						+ "' is not stored: a schedule with this key belongs to " + other
						+ "; delete that schedule first");
			}
			this.stored.add(name);
		}
		catch (UnknownRecordException unreadable) {
			replace(name, schedule, unreadable);
		}
		catch (InvalidMessageException ended) {
			// The definition is invalid, for example because its last instant has passed:
			// another try would fail, too
			this.stored.add(name);
			if (this.refused.add(name)) {
				logger.warn("Recurring schedule '" + name.key() + "' of queue '" + name.queue() + "' is not stored: "
						+ ended.getMessage());
			}
		}
		catch (DelayQueueException refusal) {
			notStored(name, refusal);
		}
	}

	/**
	 * Stores a definition if this process is still the member that has to.
	 * @return whether the definition is stored
	 */
	private boolean put(Name name, RecurringSchedule schedule) {
		NewDefinition definition = this.definitions.prepare(schedule, this.application);
		if (!isFirst(this.declarations.read().living(this.application), name)) {
			return false;
		}
		this.definitions.put(name.queue(), definition);
		return this.stored.add(name);
	}

	private void replace(Name name, RecurringSchedule schedule, UnknownRecordException unreadable) {
		try {
			if (put(name, schedule)) {
				logger.warn("Recurring schedule '" + name.key() + "' of queue '" + name.queue()
						+ "' could not be read, and was replaced by its declaration: "
						+ Objects.requireNonNull(unreadable.getCause()).getMessage());
			}
		}
		catch (DelayQueueException refusal) {
			notStored(name, refusal);
		}
	}

	private static void notStored(Name name, DelayQueueException refusal) {
		logger.warn("Recurring schedule '" + name.key() + "' of queue '" + name.queue()
				+ "' was not stored; this process tries again: " + refusal.getMessage());
	}

	/**
	 * Returns the other application to which a stored definition belongs, or "no
	 * application", as a text for the log; {@code null} if the definition belongs to this
	 * application or is not stored.
	 */
	private @Nullable String otherOwner(Name name) {
		return this.definitions.find(name.queue(), name.key(), false)
			.map((located) -> located.found().definition())
			.map((due) -> owner(due.record().fields().application()))
			.filter((owner) -> !owner.equals(owner(this.application)))
			.orElse(null);
	}

	private static String owner(@Nullable String application) {
		return (application != null) ? "application '" + application + "'" : "no application";
	}

}
