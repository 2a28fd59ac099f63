package io.delayqueue.engine;

import java.util.ArrayList;
import java.util.List;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.PayloadConverter;
import io.delayqueue.RecurringOperations;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.delivery.QueueConsumerFactory;
import io.delayqueue.delivery.RedisQueueConsumerFactory;
import io.delayqueue.fleet.Fleet;
import io.delayqueue.fleet.HintListener;
import io.delayqueue.fleet.PartitionWatch;
import io.delayqueue.fleet.QueueHolds;
import io.delayqueue.fleet.Repartitioner;
import io.delayqueue.fleet.Wakeups;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.lifecycle.TaskPool;
import io.delayqueue.maintain.DeadLetterMover;
import io.delayqueue.maintain.Maintainer;
import io.delayqueue.maintain.TrendRecorder;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.observe.QueueObservers;
import io.delayqueue.operate.DelayQueueAdminTemplate;
import io.delayqueue.operate.RepairService;
import io.delayqueue.queue.Queues;
import io.delayqueue.recurring.DeclaredSchedules;
import io.delayqueue.recurring.RecurringAdvancer;
import io.delayqueue.recurring.RecurringTemplate;
import io.delayqueue.redis.DriverSettings;
import io.delayqueue.schedule.DelayQueueTemplate;
import io.delayqueue.schedule.PreparedCalls;
import io.delayqueue.schedule.Requests;
import io.delayqueue.store.DeadLetterCarrier;
import io.delayqueue.store.Declarations;
import io.delayqueue.store.EpochCalls;
import io.delayqueue.store.HintChannel;
import io.delayqueue.store.Members;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RecurringCalls;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.RetryingCalls;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.core.RedisTemplate;

/**
 * Creates, connects and ends all background actors with which one process uses one Redis.
 * Producers use {@link #operations}, operators use {@link #admin}, and listeners use
 * {@link #consumers}. The first consumer starts the maintenance of partitions and the
 * subscription to hints (notifications between processes). The subscription ends when the
 * Spring context stops; all threads end when the context closes. This class is
 * thread-safe.
 */
public final class DelayQueueEngine implements SmartLifecycle, AutoCloseable, AopInfrastructureBean {

	/** The engine stops after the listeners, and before the connections to Redis. */
	private static final int PHASE = 1000;

	private final Queues queues;

	private final RedisCalls calls;

	private final RedisGate gate;

	private final Signals signals = new Signals();

	private final TaskPool tasks;

	private final QueueObserver observer;

	private final QueueDirectory directory;

	private final Fleet fleet;

	private final @Nullable HintListener hintListener;

	private final DelayQueueTemplate operations;

	private final DelayQueueAdmin admin;

	private final RecurringAdvancer recurringAdvancer;

	private final RecurringTemplate recurring;

	private final DeclaredSchedules declaredSchedules;

	private final RepairService repairService;

	private final RedisQueueConsumerFactory consumers;

	DelayQueueEngine(DelayQueueEngineBuilder builder, PayloadConverter converter) {
		this.queues = builder.queues;
		this.tasks = new TaskPool(builder.intervals);
		this.calls = new RedisCalls(builder.template, builder.keySpace);
		this.directory = new QueueDirectory(this.calls);
		boolean isCluster = DriverSettings.of(builder.template.getRequiredConnectionFactory()).cluster();
		this.gate = new RedisGate(this.tasks, isCluster ? null : this.calls::answers);
		RetryingCalls retryingCalls = new RetryingCalls(builder.deadline, this.gate, this.directory,
				new DeadLetterCarrier(builder.queues, new EpochCalls(this.calls), this.directory));
		HintChannel hints = new HintChannel(this.calls);

		Members members = new Members(this.calls, this.calls.process());
		this.fleet = new Fleet(builder.isSweeping, members, this.directory, hints, this.signals, this.gate, this.tasks);
		List<QueueObserver> observers = new ArrayList<>(builder.observers);
		if (builder.hasTrends) {
			observers.add(new TrendRecorder(this.calls, this.fleet, this.gate, this.signals, this.tasks));
		}
		this.observer = QueueObservers.of(observers);
		Repartitioner repartitioner = new Repartitioner(builder.queues, this.calls, this.directory, members, hints,
				this.fleet, this.signals, this.gate, this.tasks);
		Wakeups wakeups = new Wakeups(this.signals, hints, this.fleet, this.tasks);
		QueueHolds queueHolds = new QueueHolds(this.calls, this.fleet.member(), this.directory, wakeups, this.observer);
		Requests requests = new Requests(builder.queues, this.directory, converter, builder.customizers,
				this.calls.process());
		DelayQueueTemplate template = new DelayQueueTemplate(requests, this.calls, retryingCalls, this.directory,
				wakeups, this.observer, builder.tracing);
		this.operations = template;
		RecurringCalls recurringCalls = new RecurringCalls(this.calls);
		this.recurringAdvancer = new RecurringAdvancer(builder.queues, this.calls, this.directory, this.signals,
				this.fleet, wakeups, this.gate, this.tasks, this.observer);
		this.recurring = new RecurringTemplate(template, requests, recurringCalls, retryingCalls, this.directory,
				wakeups, this.recurringAdvancer);
		this.declaredSchedules = this.recurring.declared(new Declarations(this.calls, members), this.fleet, this.gate,
				this.tasks);
		this.admin = new DelayQueueAdminTemplate(builder.queues, this.calls, retryingCalls, this.directory,
				repartitioner, wakeups, queueHolds);
		this.repairService = new RepairService(this.calls, this.directory, retryingCalls, wakeups, this.observer);

		PartitionWatch watch = new PartitionWatch(builder.sweeper, this.calls, this.signals, this.fleet, this.gate,
				this.tasks);
		this.hintListener = builder.isSweeping
				? new HintListener(hints, this.signals, this.fleet, this.gate, wakeups, this.tasks) : null;
		new Maintainer(builder.maintenance, this.calls, this.directory, this.signals, this.fleet, wakeups, this.gate,
				this.tasks, this.observer);
		new DeadLetterMover(builder.queues, this.calls, retryingCalls, this.directory, this.fleet, wakeups, this.gate,
				this.signals, this.tasks, this.observer);
		this.consumers = new RedisQueueConsumerFactory(this.calls, this.directory, this.signals, this.gate, this.tasks,
				this.observer, builder.tracing, builder.threads, this.fleet, watch, wakeups, queueHolds);
	}

	/**
	 * {@return a builder of an engine, with the default settings}
	 * @param template the template for the calls to Redis, with text keys and raw values;
	 * the engine does not close the connections of the template
	 * @param queues the settings of the queues
	 */
	public static DelayQueueEngineBuilder builder(RedisTemplate<String, byte[]> template, Queues queues) {
		return new DelayQueueEngineBuilder(template, queues);
	}

	/**
	 * {@return the operations with which producers schedule messages}
	 */
	public DelayQueueOperations operations() {
		return this.operations;
	}

	/**
	 * {@return the factory of calls that an outbox prepares now and carries out later}
	 */
	public PreparedCalls preparedCalls() {
		return this.operations.prepared();
	}

	/**
	 * {@return the operations that create, change and list recurring schedules}
	 */
	public RecurringOperations recurring() {
		return this.recurring;
	}

	/**
	 * {@return the actor that stores the recurring schedules of this process's listeners}
	 */
	public DeclaredSchedules declaredSchedules() {
		return this.declaredSchedules;
	}

	/**
	 * {@return the actor that stores the next occurrences of recurring schedules}
	 */
	public RecurringAdvancer recurringAdvancer() {
		return this.recurringAdvancer;
	}

	/**
	 * {@return the operations for operators, on whole queues and on dead letters}
	 */
	public DelayQueueAdmin admin() {
		return this.admin;
	}

	/**
	 * {@return the factory of the consumers that read messages for listeners}
	 */
	public QueueConsumerFactory consumers() {
		return this.consumers;
	}

	/**
	 * {@return the service that audits and repairs queues on request}
	 */
	public RepairService repairService() {
		return this.repairService;
	}

	/** Returns the settings of the queues, by name. */
	public Queues queues() {
		return this.queues;
	}

	/**
	 * {@return the directory of the queues in Redis and their partition counts}
	 */
	public QueueDirectory directory() {
		return this.directory;
	}

	/**
	 * {@return the access to the keys and scripts in Redis}
	 */
	public RedisCalls calls() {
		return this.calls;
	}

	/**
	 * {@return the gate that stops background calls while Redis is unreachable}
	 */
	public RedisGate gate() {
		return this.gate;
	}

	/**
	 * {@return the signals that wake actors, and the queues that this process consumes}
	 */
	public Signals signals() {
		return this.signals;
	}

	/**
	 * {@return the processes that consume queues, as last read from Redis}
	 */
	public Fleet fleet() {
		return this.fleet;
	}

	/** Returns the threads of this engine, and the tasks that run on them. */
	public TaskPool tasks() {
		return this.tasks;
	}

	/**
	 * {@return the observer that passes notifications to all observers of this process}
	 */
	public QueueObserver observer() {
		return this.observer;
	}

	/** Does nothing, because the first consumer starts the background actors. */
	@Override
	public void start() {
	}

	@Override
	public void stop() {
		this.fleet.stop();
		if (this.hintListener != null) {
			this.hintListener.stop();
		}
	}

	@Override
	public boolean isRunning() {
		return this.hintListener != null && this.hintListener.isRunning();
	}

	@Override
	public int getPhase() {
		return PHASE;
	}

	/** Stops the engine and ends all its threads. */
	@Override
	public void close() {
		stop();
		this.gate.close();
		this.tasks.close();
	}

}
