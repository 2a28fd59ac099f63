package io.delayqueue.delivery;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;

import io.delayqueue.delivery.HandlerThreads.Threads;
import io.delayqueue.delivery.Handlers.Batches;
import io.delayqueue.fleet.Fleet;
import io.delayqueue.fleet.PartitionWatch;
import io.delayqueue.fleet.QueueHolds;
import io.delayqueue.fleet.Wakeups;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.observe.MessageTracing;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.ProcessName;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.Budgets;
import io.delayqueue.store.DueMessages;
import io.delayqueue.store.History;
import io.delayqueue.store.Holds;
import io.delayqueue.store.Leases;
import io.delayqueue.store.PendingMessages;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.ReadyMessages;
import io.delayqueue.store.RedisCalls;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.util.Assert;

/**
 * Creates consumers that read the partitions of a queue through consumer groups of Redis.
 */
public final class RedisQueueConsumerFactory implements QueueConsumerFactory, AopInfrastructureBean {

	/**
	 * The longest time between two reads of a partition in a process that sweeps. The
	 * time must be far below an hour, because maintenance removes a consumer that has not
	 * read for an hour.
	 */
	private static final Duration ENTERED = Duration.ofMinutes(15);

	private final ReadyMessages ready;

	private final PendingMessages pending;

	private final DueMessages due;

	private final Fleet fleet;

	private final PartitionWatch watch;

	private final Wakeups wakeups;

	private final QueueHolds queueHolds;

	private final Holds holds;

	private final Leases leases;

	private final Budgets budgets;

	private final QueueDirectory directory;

	private final Signals signals;

	private final RedisGate gate;

	private final TaskPool tasks;

	private final QueueObserver observer;

	private final MessageTracing tracing;

	private final HandlerThreads ownThreads;

	private final SuspectIsolation isolation = new SuspectIsolation();

	private final Map<String, RunningConsumer> running = new ConcurrentHashMap<>();

	/** The number of consumers that this process has started. */
	private final AtomicInteger starts = new AtomicInteger();

	/**
	 * Creates the factory.
	 * @param calls makes the calls to Redis
	 * @param directory the directory of the queues, with the epochs (successive partition
	 * counts) of each queue
	 * @param signals the signals that wake the readers of this process
	 * @param gate the gate that stops calls while Redis is unreachable
	 * @param tasks runs the tasks of the consumers
	 * @param observer is notified of events
	 * @param tracing begins a span for each call of a handler
	 * @param ownThreads makes handler threads for consumers that are given no executor
	 * @param fleet the members (consuming processes), which take turns to sweep
	 * @param watch checks idle partitions
	 * @param wakeups notifies the member that sweeps a partition
	 * @param queueHolds stores holds of queues and groups
	 */
	public RedisQueueConsumerFactory(RedisCalls calls, QueueDirectory directory, Signals signals, RedisGate gate,
			TaskPool tasks, QueueObserver observer, MessageTracing tracing, HandlerThreads ownThreads, Fleet fleet,
			PartitionWatch watch, Wakeups wakeups, QueueHolds queueHolds) {
		this.ready = new ReadyMessages(calls);
		this.pending = new PendingMessages(calls);
		this.due = new DueMessages(calls);
		this.fleet = fleet;
		this.watch = watch;
		this.wakeups = wakeups;
		this.queueHolds = queueHolds;
		this.holds = new Holds(calls);
		this.leases = new Leases(calls);
		this.budgets = new Budgets(calls);
		this.directory = directory;
		this.signals = signals;
		this.gate = gate;
		this.tasks = tasks;
		this.observer = observer;
		this.tracing = tracing;
		this.ownThreads = ownThreads;
		directory.onChange((epochs) -> {
			RunningConsumer running = this.running.get(epochs.queue());
			if (running != null) {
				running.partitionsChanged();
			}
		});
	}

	@Override
	public QueueConsumer create(QueueSettings settings, MessageHandler handler, @Nullable MessageHandler expired,
			@Nullable Executor executor) {
		return create(settings, new Handlers(handler, null, expired), executor);
	}

	@Override
	public QueueConsumer create(QueueSettings settings, BatchHandler handler, BatchSettings batches,
			@Nullable MessageHandler expired, @Nullable Executor executor) {
		Assert.isTrue(settings.concurrency() >= batches.most(),
				() -> "concurrency of queue '" + settings.name() + "' is " + settings.concurrency()
						+ " but must be at least " + batches.most() + ", the maximum number of messages in a batch");
		return create(settings, new Handlers(null, new Batches(handler, batches), expired), executor);
	}

	private QueueConsumer create(QueueSettings settings, Handlers handlers, @Nullable Executor executor) {
		this.directory.declare(settings);
		IntFunction<Threads> threads = (concurrency) -> (executor != null) ? new Threads(executor, () -> {
		}) : this.ownThreads.create(settings.withConcurrency(concurrency));
		return new RedisQueueConsumer(settings.name(), (paused) -> assemble(settings, handlers, threads, paused),
				this.running, this.observer);
	}

	private RunningConsumer assemble(QueueSettings settings, Handlers handlers, IntFunction<Threads> threads,
			BooleanSupplier paused) {
		// Each start uses a new consumer name, because two consumers with one name would
		// share their pending messages
		ConsumerState state = new ConsumerState(settings,
				ProcessName.consumer(this.fleet.member(), this.starts.getAndIncrement()), paused, this.gate,
				this.fleet.isSweeping() ? ENTERED : this.watch.settings().interval(), this.isolation);
		ConsumerLog log = new ConsumerLog(state.settings(), this.observer);
		SettlementListener listener = new SettlementListener(state, this.signals, this.wakeups, this.observer);
		HoldWriter holdWriter = new HoldWriter(state, this.queueHolds, this.tasks);
		HandlerInvoker invoker = new HandlerInvoker(state, handlers, this.pending, this.observer, this.tracing);
		Dispatcher dispatcher = new Dispatcher(state, handlers, invoker, threads, this.tasks);
		Function<Partition, PartitionConsumer> consumers = (added) -> {
			PartitionState partition = state.partition(added);
			SettlementWriter writer = new SettlementWriter(added, state, this.pending, listener, holdWriter,
					this.tasks);
			partition.onSettlement(writer::add);
			LeaseRenewer renewer = new LeaseRenewer(partition, state, this.pending, this.leases, listener, this.tasks);
			Reclaimer reclaimer = new Reclaimer(partition, state, this.leases, this.fleet, log, listener, this.tasks,
					history(added, state.settings()));
			Grants grants = new Grants(partition, state, this.budgets, this.leases, this.wakeups, this.tasks);
			PartitionSweep sweep = new PartitionSweep(added, state.settings(), this.due, grants, this.fleet, this.watch,
					this.wakeups, this.observer);
			GroupHolds groupHolds = new GroupHolds(partition, this.holds, dispatcher);
			DeliveryReceiver receiver = new DeliveryReceiver(partition, state, this.pending, groupHolds, grants, log,
					dispatcher);
			PartitionReader reader = new PartitionReader(partition, state, this.ready, sweep, receiver, this.directory,
					dispatcher, this.tasks);
			return new PartitionConsumer(partition, reader, writer, renewer, reclaimer);
		};
		return new RunningConsumer(state, dispatcher, consumers, this.directory, this.tasks, this.signals,
				this.observer);
	}

	private String history(Partition partition, QueueSettings settings) {
		int partitions = this.directory.cached(settings)
			.epochs()
			.stream()
			.filter((epoch) -> epoch.number() == partition.epoch())
			.mapToInt(Epoch::partitions)
			.findFirst()
			.orElse(settings.partitions());
		return History.setting(settings.ends(), partitions);
	}

}
