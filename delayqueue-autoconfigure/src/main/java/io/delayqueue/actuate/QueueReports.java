package io.delayqueue.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.IntStream;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.delayqueue.actuate.QueueDescriptor.Consumer;
import io.delayqueue.actuate.QueueDescriptor.Counts;
import io.delayqueue.actuate.QueueDescriptor.Hold;
import io.delayqueue.actuate.QueueDescriptor.Horizon;
import io.delayqueue.actuate.QueueDescriptor.Listener;
import io.delayqueue.admin.QueueHold;
import io.delayqueue.fleet.Fleet;
import io.delayqueue.fleet.Roster;
import io.delayqueue.listener.DelayedListenerContainer;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.ProcessName;
import io.delayqueue.queue.Queues;
import io.delayqueue.store.Budgets;
import io.delayqueue.store.Consumers;
import io.delayqueue.store.Groups;
import io.delayqueue.store.Holds;
import io.delayqueue.store.Partitioner;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.Snapshots;
import io.delayqueue.store.Snapshots.Outlook;
import io.delayqueue.store.Snapshots.PartitionSnapshot;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * Describes queues with their counts. Safe for use by several threads.
 */
public final class QueueReports {

	/** The default maximum number of queues of a page. */
	static final int DEFAULT_LIMIT = 100;

	/** The upper bound of the number of queues that a request may set for a page. */
	static final int MAX_LIMIT = 1000;

	/**
	 * The maximum total number of partitions of the queues on a page, because each
	 * partition costs a call to Redis. Only a page with a single queue may exceed this
	 * number.
	 */
	static final int MAX_PARTITIONS = 1024;

	/** The maximum number of held groups that the description of a queue contains. */
	static final int MAX_HOLDS = 100;

	private static final int MAX_NAME_LENGTH = 100;

	private static final List<Duration> HORIZON = List.of(Duration.ofMinutes(1), Duration.ofMinutes(10),
			Duration.ofHours(1), Duration.ofDays(1));

	private final QueueDirectory directory;

	private final Snapshots snapshots;

	private final Consumers consumers;

	private final Holds holds;

	private final Budgets budgets;

	private final Groups groups;

	private final @Nullable DelayedListenerRegistry listeners;

	private final Queues queues;

	private final Fleet fleet;

	/**
	 * Creates the reports.
	 * @param directory the directory of queues
	 * @param calls the access to Redis, for counts, consumers, holds and limits
	 * @param listeners the listeners of this process, {@code null} if this process cannot
	 * have listeners
	 * @param queues the settings of the queues
	 * @param fleet the members, the processes that consume queues
	 */
	public QueueReports(QueueDirectory directory, RedisCalls calls, @Nullable DelayedListenerRegistry listeners,
			Queues queues, Fleet fleet) {
		this.directory = directory;
		this.snapshots = new Snapshots(calls);
		this.consumers = new Consumers(calls);
		this.holds = new Holds(calls);
		this.budgets = new Budgets(calls);
		this.groups = new Groups(calls);
		this.listeners = listeners;
		this.queues = queues;
		this.fleet = fleet;
	}

	/**
	 * A page of queues.
	 *
	 * @param queues the queues, sorted by name; a queue exists from its first use
	 * @param next the name of the first queue of the next page, which is the value of the
	 * parameter {@code from} in a request for that page; {@code null} on the last page
	 * @param member the name of the process that answers the request, even if this
	 * process consumes no queue
	 * @param members the processes that consume queues, sorted by name; empty if the list
	 * of members cannot be read
	 */
	public record QueuesDescriptor(List<Queue> queues, @Nullable String next, String member,
			List<Member> members) implements OperationResponseBody {

		/**
		 * A queue of the page, with its counts.
		 *
		 * @param name the queue's name
		 * @param counts the counts of the queue
		 * @param members the number of members that consume the queue, {@code null} if
		 * the list of members cannot be read
		 * @param throttled whether overdue messages wait because of the queue's limits
		 */
		public record Queue(String name, @JsonUnwrapped Counts counts, @Nullable Integer members, boolean throttled) {
		}

		/**
		 * A process that consumes queues.
		 *
		 * @param name the name of the process: host (in Kubernetes the pod), process id
		 * and a random number
		 * @param since the time since which the process has been a member
		 * @param queues the names of the queues that the process consumes
		 * @param partitionsOwned the number of partitions, over all queues, that the
		 * process owns (reclaims, audits and repairs)
		 */
		public record Member(String name, Instant since, List<String> queues, long partitionsOwned) {
		}

	}

	QueuesDescriptor queues(Parameters parameters) {
		int max = parameters.limit(DEFAULT_LIMIT, MAX_LIMIT);
		String from = parameters.text("from");
		String group = parameters.search().group();
		SortedMap<String, Epochs> known = this.directory.all();
		Roster roster = this.fleet.roster();
		List<QueuesDescriptor.Queue> queues = new ArrayList<>();
		int counted = 0;
		for (Map.Entry<String, Epochs> queue : ((from != null) ? known.tailMap(checked(from)) : known).entrySet()) {
			List<Partition> partitions = queue.getValue().partitions();
			if (queues.size() == max || (counted > 0 && counted + partitions.size() > MAX_PARTITIONS)) {
				return page(queues, queue.getKey(), roster);
			}
			if (group != null && !has(queue.getValue(), group)) {
				counted++;
				continue;
			}
			counted += partitions.size();
			List<PartitionSnapshot> now = partitions.stream().map(this.snapshots::of).toList();
			Integer members = members(queue.getKey(), roster);
			queues.add(new QueuesDescriptor.Queue(queue.getKey(), Counts.of(now), members,
					isThrottled(queue.getKey(), now, members)));
		}
		return page(queues, null, roster);
	}

	private QueuesDescriptor page(List<QueuesDescriptor.Queue> queues, @Nullable String next, Roster roster) {
		Map<String, Long> owned = roster.owned();
		return new QueuesDescriptor(queues, next, this.fleet.member(), roster.members()
			.stream()
			.map((member) -> new QueuesDescriptor.Member(member.name(), Instant.ofEpochMilli(member.sinceMillis()),
					List.copyOf(member.queues().keySet()), owned.getOrDefault(member.name(), 0L)))
			.toList());
	}

	/** Returns whether a queue has messages or dead letters of a group. */
	private boolean has(Epochs queue, String group) {
		return Partitioner.ofGroup(group, queue).stream().anyMatch((partition) -> this.groups.has(partition, group));
	}

	private static @Nullable Integer members(String queue, Roster roster) {
		return roster.isKnown() ? roster.consuming(queue).size() : null;
	}

	/**
	 * Returns whether a queue that is consumed and not stopped has overdue messages
	 * because of its limits.
	 */
	private boolean isThrottled(String queue, Collection<PartitionSnapshot> now, @Nullable Integer members) {
		boolean isOverdue = now.stream().anyMatch((partition) -> partition.overdue() > 0);
		boolean isConsumed = members == null || members > 0;
		return isOverdue && isConsumed && now.stream().noneMatch(PartitionSnapshot::isStopped) && this.budgets
			.isThrottled(queue, this.queues.settings(queue).flow().maxInFlight(), now.iterator().next().nowMicros());
	}

	private static String checked(String from) {
		if (from.isEmpty() || from.length() > MAX_NAME_LENGTH || from.codePoints().anyMatch(Character::isISOControl)) {
			throw Parameters.invalid("from", from, "the name of a queue");
		}
		return from;
	}

	QueueDescriptor queue(String queue) {
		Epochs epochs = this.directory.read(queue)
			.orElseThrow(() -> ProblemException.unknownQueue(queue, this.directory.all().keySet()));
		Map<Partition, Outlook> outlooks = new LinkedHashMap<>();
		epochs.partitions().forEach((partition) -> outlooks.put(partition, this.snapshots.outlook(partition, HORIZON)));
		Roster roster = this.fleet.roster();
		List<QueueDescriptor.Partition> partitions = new ArrayList<>();
		outlooks.forEach(
				(partition, outlook) -> partitions.add(partition(partition, outlook.now(), roster.order(partition))));
		List<PartitionSnapshot> now = outlooks.values().stream().map(Outlook::now).toList();
		Integer members = members(queue, roster);
		return new QueueDescriptor(queue, Counts.of(now), members, roster.consuming(queue),
				isThrottled(queue, now, members),
				outlooks.values().stream().mapToLong((outlook) -> outlook.now().parked()).sum(),
				horizon(outlooks.values()),
				epochs.epochs().stream().map((epoch) -> epoch(epochs, epoch, outlooks)).toList(), partitions,
				consumers(epochs), holds(outlooks),
				QueueDescriptor.Limits.of(this.budgets.rate(queue), this.queues.settings(queue).flow()),
				listeners(queue));
	}

	private QueueDescriptor.Epoch epoch(Epochs epochs, Epoch epoch, Map<Partition, Outlook> outlooks) {
		List<PartitionSnapshot> now = outlooks.entrySet()
			.stream()
			.filter((entry) -> entry.getKey().epoch() == epoch.number())
			.map((entry) -> entry.getValue().now())
			.toList();
		Epoch current = epochs.current();
		String state = epoch.announced() ? "announced" : (epoch.number() == current.number()) ? "current" : "older";
		return new QueueDescriptor.Epoch(epoch.number(), epoch.partitions(), state,
				now.stream().mapToLong(PartitionSnapshot::messages).sum(),
				now.stream().mapToLong(PartitionSnapshot::dead).sum(), Counts.lastDue(now));
	}

	private static QueueDescriptor.Partition partition(Partition partition, PartitionSnapshot now, List<String> order) {
		return new QueueDescriptor.Partition(partition.number(), Counts.of(List.of(now)), now.parked(),
				order.isEmpty() ? null : order.get(0), (order.size() > 1) ? order.get(1) : null, partition.epoch());
	}

	private static Horizon horizon(Collection<Outlook> outlooks) {
		long overdue = outlooks.stream().mapToLong((outlook) -> outlook.now().overdue()).sum();
		long scheduled = outlooks.stream().mapToLong((outlook) -> outlook.now().scheduled()).sum();
		long[] within = IntStream.range(0, HORIZON.size())
			.mapToLong((step) -> outlooks.stream().mapToLong((outlook) -> outlook.within().get(step)).sum())
			.toArray();
		return new Horizon(overdue, within[0], within[1], within[2], within[3], scheduled - overdue - within[3]);
	}

	private List<Consumer> consumers(Epochs epochs) {
		Map<String, Consumer> consumers = new LinkedHashMap<>();
		epochs.partitions()
			.stream()
			.map(this.consumers::of)
			.flatMap(List::stream)
			.map((one) -> new Consumer(ProcessName.ofConsumer(one.name()), one.pending(), one.oldestIdleMillis(),
					one.silentMillis()))
			.forEach((one) -> consumers.merge(one.name(), one, QueueReports::merged));
		return consumers.values().stream().sorted(Comparator.comparingLong(Consumer::inFlight).reversed()).toList();
	}

	private List<Hold> holds(Map<Partition, Outlook> outlooks) {
		Map<String, QueueHold> holds = new LinkedHashMap<>();
		outlooks.forEach((partition, outlook) -> {
			PartitionSnapshot now = outlook.now();
			if (now.heldUntilMillis() > 0 || now.heldGroups() > 0) {
				this.holds.of(partition, MAX_HOLDS)
					.forEach((hold) -> holds.merge((hold.group() != null) ? hold.group() : "", hold,
							(one, other) -> one.until().isBefore(other.until()) ? other : one));
			}
		});
		return holds.values()
			.stream()
			.sorted(Comparator.comparing((QueueHold hold) -> hold.group() != null).thenComparing(QueueHold::until))
			.limit(MAX_HOLDS + 1)
			.map((hold) -> new Hold(hold.group(), hold.until(), hold.by().name(), hold.process(), hold.why()))
			.toList();
	}

	private static Consumer merged(Consumer here, Consumer there) {
		return new Consumer(here.name(), here.inFlight() + there.inFlight(),
				Math.max(here.oldestIdleMillis(), there.oldestIdleMillis()),
				Math.min(here.silentMillis(), there.silentMillis()));
	}

	private @Nullable List<Listener> listeners(String queue) {
		return (this.listeners == null) ? null
				: this.listeners.containers()
					.stream()
					.filter((container) -> container.queue().equals(queue))
					.map(this::listener)
					.toList();
	}

	private Listener listener(DelayedListenerContainer container) {
		Integer own = container.concurrency();
		return new Listener(container.id(), container.isRunning(), container.isPaused(), container.inFlight(),
				(own != null) ? own : this.queues.settings(container.queue()).concurrency());
	}

}
