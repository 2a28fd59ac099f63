package io.delayqueue.operate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.RateLimit;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.admin.DeadLetterEdit;
import io.delayqueue.admin.DeadLetterPage;
import io.delayqueue.admin.DeadLetterSelection;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.EditedDeadLetter;
import io.delayqueue.admin.HistoryPage;
import io.delayqueue.admin.PurgeResult;
import io.delayqueue.admin.QueueHold;
import io.delayqueue.admin.QueueLimits;
import io.delayqueue.admin.QueuePartitions;
import io.delayqueue.admin.QueueStatus;
import io.delayqueue.fleet.QueueHolds;
import io.delayqueue.fleet.Repartitioner;
import io.delayqueue.fleet.Wakeups;
import io.delayqueue.operate.HistoryPages.EndsPage;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;
import io.delayqueue.store.History.Ended;
import io.delayqueue.store.PartitionControl.Switch;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.RetryingCalls;
import org.jspecify.annotations.Nullable;

/**
 * Implements {@link DelayQueueAdmin} with calls to Redis.
 */
public class DelayQueueAdminTemplate implements DelayQueueAdmin {

	private final Queues queues;

	private final KnownPartitions known;

	private final Repartitioner repartitioner;

	private final HistoryPages historyPages;

	private final DeadLetterControl deadLetterControl;

	private final DeadLetterEditor editor;

	private final RetryingCalls retryingCalls;

	private final QueueControl queueControl;

	private final HoldControl holdControl;

	private final PurgeService purgeService;

	/**
	 * Creates the operations of one process for operators.
	 * @param queues the settings of the queues
	 * @param calls the access to Redis
	 * @param retryingCalls repeats failed calls to Redis
	 * @param directory the directory of queues and their partition counts
	 * @param repartitioner changes the partition counts of queues
	 * @param wakeups notifies the process that sweeps a partition
	 * @param queueHolds holds queues and groups
	 */
	public DelayQueueAdminTemplate(Queues queues, RedisCalls calls, RetryingCalls retryingCalls,
			QueueDirectory directory, Repartitioner repartitioner, Wakeups wakeups, QueueHolds queueHolds) {
		this.queues = queues;
		this.known = new KnownPartitions(directory, retryingCalls);
		this.repartitioner = repartitioner;
		this.historyPages = new HistoryPages(calls);
		this.deadLetterControl = new DeadLetterControl(queues, this.known, calls, retryingCalls, wakeups);
		this.editor = new DeadLetterEditor(queues, this.known, calls, retryingCalls, wakeups);
		this.retryingCalls = retryingCalls;
		this.holdControl = new HoldControl(this.known, calls, retryingCalls, queueHolds);
		this.queueControl = new QueueControl(this.known, calls, retryingCalls, wakeups, this.holdControl);
		this.purgeService = new PurgeService(this.known, calls, retryingCalls, wakeups);
	}

	@Override
	public DeadLetterPage deadLetters(String queue, @Nullable String from, int limit) {
		return this.deadLetterControl.list(queue, from, limit);
	}

	@Override
	public HistoryPage history(String queue, @Nullable String from, int limit) {
		EndsPage page = this.historyPages.list(this.known.epochs(settings(queue)), from, limit,
				(call) -> () -> this.retryingCalls.call(queue, call));
		return new HistoryPage(page.ends().stream().map(Ended::snapshot).toList(), page.next());
	}

	@Override
	public Optional<DeadLetter> deadLetter(MessageKey key) {
		return this.deadLetterControl.find(key);
	}

	@Override
	public boolean redrive(MessageKey key) {
		return this.deadLetterControl.redrive(key);
	}

	@Override
	public Optional<EditedDeadLetter> redrive(MessageKey key, DeadLetterEdit edit) {
		return this.editor.redrive(key, edit);
	}

	@Override
	public int redrive(DeadLetterSelection selection) {
		return this.deadLetterControl.redrive(selection);
	}

	@Override
	public boolean discard(MessageKey key) {
		return this.deadLetterControl.discard(key);
	}

	@Override
	public int discard(DeadLetterSelection selection) {
		return this.deadLetterControl.discard(selection);
	}

	@Override
	public QueueStatus pause(String queue) {
		return this.queueControl.turn(queue, Switch.PAUSED, true);
	}

	@Override
	public QueueStatus resume(String queue) {
		return this.queueControl.turn(queue, Switch.PAUSED, false);
	}

	@Override
	public QueueHold hold(String queue, Instant until, String why) {
		return this.holdControl.hold(queue, null, until, why);
	}

	@Override
	public QueueHold hold(String queue, Duration duration, String why) {
		return this.holdControl.hold(queue, null, duration, why);
	}

	@Override
	public QueueHold hold(String queue, String group, Instant until, String why) {
		return this.holdControl.hold(queue, checked(queue, group), until, why);
	}

	@Override
	public QueueHold hold(String queue, String group, Duration duration, String why) {
		return this.holdControl.hold(queue, checked(queue, group), duration, why);
	}

	@Override
	public void release(String queue) {
		this.holdControl.release(queue, null);
	}

	@Override
	public void release(String queue, String group) {
		this.holdControl.release(queue, checked(queue, group));
	}

	@Override
	public List<QueueHold> holds(String queue) {
		return this.holdControl.holds(queue);
	}

	@Override
	public QueueStatus drain(String queue) {
		return this.queueControl.turn(queue, Switch.DRAINING, true);
	}

	@Override
	public QueueStatus reopen(String queue) {
		return this.queueControl.turn(queue, Switch.DRAINING, false);
	}

	@Override
	public QueueLimits limitRate(String queue, RateLimit limit) {
		this.queueControl.limit(queue, limit);
		return limits(queue);
	}

	@Override
	public QueueLimits clearRateLimit(String queue) {
		this.queueControl.limit(queue, null);
		return limits(queue);
	}

	@Override
	public QueueLimits limits(String queue) {
		RateLimit stored = this.queueControl.limit(queue);
		FlowSettings settings = settings(queue).flow();
		return new QueueLimits(queue, (stored != null) ? stored : settings.rateLimit(), stored != null,
				settings.maxInFlight());
	}

	@Override
	public QueuePartitions repartition(String queue, int partitions) {
		if (!QueueSettings.PARTITIONS.contains(partitions)) {
			throw new InvalidMessageException("partitions", Integer.toString(partitions),
					"from 1 to " + QueueSettings.MAX_PARTITIONS);
		}
		String checked = ScheduleRequest.to(queue).queue();
		Epochs epochs = this.retryingCalls.call(checked, () -> this.repartitioner.repartition(checked, partitions))
			.orElseThrow(() -> KnownPartitions.unknown(checked));
		return new QueuePartitions(checked, epochs.newest().partitions(),
				epochs.epochs().subList(0, epochs.epochs().size() - 1).stream().map(Epoch::partitions).toList());
	}

	@Override
	public QueueStatus status(String queue) {
		return this.queueControl.status(queue);
	}

	@Override
	public PurgeResult purge(String queue) {
		return purge(queue, false);
	}

	@Override
	public PurgeResult purgeWithDeadLetters(String queue) {
		return purge(queue, true);
	}

	private PurgeResult purge(String queue, boolean deadLetters) {
		return this.purgeService.purge(queue, settings(queue).doneWindowOfGenerated(), deadLetters);
	}

	private static @Nullable String checked(String queue, String group) {
		return MessageKey.of(queue, "any").inGroup(group).group();
	}

	private QueueSettings settings(String queue) {
		return this.queues.settings(queue);
	}

}
