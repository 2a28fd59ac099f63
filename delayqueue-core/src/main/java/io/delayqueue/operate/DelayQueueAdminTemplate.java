package io.delayqueue.operate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageState;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.admin.DeadLetterPage;
import io.delayqueue.admin.DeadLetterSelection;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.HistoryPage;
import io.delayqueue.admin.PurgeResult;
import io.delayqueue.admin.QueueHold;
import io.delayqueue.admin.QueueLimits;
import io.delayqueue.admin.QueuePartitions;
import io.delayqueue.admin.QueueStatus;
import io.delayqueue.RateLimit;
import io.delayqueue.fleet.QueueHolds;
import io.delayqueue.fleet.Repartitioner;
import io.delayqueue.fleet.SweepNotifier;
import io.delayqueue.operate.HistoryPages.EndsPage;
import io.delayqueue.operate.MessagePages.MessageList;
import io.delayqueue.operate.MessagePages.Placed;
import io.delayqueue.operate.MessagePages.QueuePage;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;
import io.delayqueue.record.CallToken;
import io.delayqueue.store.DeadLetters;
import io.delayqueue.store.DeadLetters.Redrive;
import io.delayqueue.store.DeadLetters.Redriven;
import io.delayqueue.store.Due;
import io.delayqueue.store.History.Ended;
import io.delayqueue.store.Pages.Listed;
import io.delayqueue.store.Pages.Page;
import io.delayqueue.store.Pages.Position;
import io.delayqueue.store.PartitionControl.Switch;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.RetryingCalls;
import org.jspecify.annotations.Nullable;

/**
 * {@link DelayQueueAdmin} on Redis. Processes many messages in steps of 100, so that no
 * script runs long.
 */
public final class DelayQueueAdminTemplate implements DelayQueueAdmin {

	private static final int STEP = 100;

	private final Queues queues;

	private final QueueDirectory directory;

	private final Repartitioner repartitioner;

	private final MessagePages pages;

	private final HistoryPages historyPages;

	private final DeadLetters deadLetters;

	private final SweepNotifier notifier;

	private final RetryingCalls retryingCalls;

	private final QueueControl queueControl;

	private final HoldControl holdControl;

	private final PurgeService purgeService;

	/**
	 * Creates the template.
	 * @param queues the settings of the queues
	 * @param calls the access to Redis
	 * @param retryingCalls repeats calls
	 * @param directory the queues in Redis
	 * @param repartitioner changes partition counts
	 * @param notifier notifies the process that sweeps a partition
	 * @param queueHolds holds queues and groups
	 */
	public DelayQueueAdminTemplate(Queues queues, RedisCalls calls, RetryingCalls retryingCalls,
			QueueDirectory directory, Repartitioner repartitioner, SweepNotifier notifier, QueueHolds queueHolds) {
		KnownPartitions known = new KnownPartitions(directory, retryingCalls);
		this.queues = queues;
		this.directory = directory;
		this.repartitioner = repartitioner;
		this.pages = new MessagePages(calls);
		this.historyPages = new HistoryPages(calls);
		this.deadLetters = new DeadLetters(calls);
		this.notifier = notifier;
		this.retryingCalls = retryingCalls;
		this.holdControl = new HoldControl(known, calls, retryingCalls, queueHolds);
		this.queueControl = new QueueControl(known, calls, retryingCalls, notifier, this.holdControl);
		this.purgeService = new PurgeService(known, calls, retryingCalls, notifier);
	}

	@Override
	public DeadLetterPage deadLetters(String queue, @Nullable String from, int limit) {
		QueuePage page = this.pages.list(new MessageList(epochs(queue), MessageState.DEAD, null), from, limit,
				(call) -> () -> this.retryingCalls.call(queue, call));
		return new DeadLetterPage(page.messages().stream().map(DelayQueueAdminTemplate::letter).toList(), page.next());
	}

	@Override
	public HistoryPage history(String queue, @Nullable String from, int limit) {
		EndsPage page = this.historyPages.list(epochs(queue), from, limit,
				(call) -> () -> this.retryingCalls.call(queue, call));
		return new HistoryPage(page.ends().stream().map(Ended::snapshot).toList(), page.next());
	}

	@Override
	public Optional<DeadLetter> deadLetter(MessageKey key) {
		epochs(key.queue());
		return this.retryingCalls.call(key, settings(key.queue()), Optional::isPresent, (answer) -> false,
				(partition) -> this.deadLetters.find(partition, key));
	}

	@Override
	public boolean redrive(MessageKey key) {
		QueueSettings settings = settings(key.queue());
		String token = CallToken.next();
		epochs(key.queue());
		Redriven redriven = this.retryingCalls.call(key, settings,
				(answer) -> answer.redriven() + answer.refused().size() > 0, (answer) -> false,
				(partition) -> redrive(partition, token, key.group(), List.of(new Redrive(key.id(), Duration.ZERO))));
		if (!redriven.refused().isEmpty()) {
			throw new QuotaExceededException(key.queue(), key.id(), key.group(), settings.groups().quota());
		}
		return redriven.redriven() > 0;
	}

	@Override
	public int redrive(DeadLetterSelection selection) {
		return each(selection, (partition, token, ids) -> {
			List<Redrive> batch = new ArrayList<>(ids.size());
			ids.forEach((id) -> batch.add(new Redrive(id, randomDelay(selection))));
			return redrive(partition, token, null, batch).redriven();
		});
	}

	@Override
	public boolean discard(MessageKey key) {
		QueueSettings settings = settings(key.queue());
		String token = CallToken.next();
		epochs(key.queue());
		return this.retryingCalls.call(key, settings, (discarded) -> discarded > 0, (discarded) -> false,
				(partition) -> this.deadLetters.discard(partition, token, settings.doneWindowOfGenerated(), key.group(),
						List.of(key.id()))) > 0;
	}

	@Override
	public int discard(DeadLetterSelection selection) {
		Duration window = settings(selection.queue()).doneWindowOfGenerated();
		return each(selection,
				(partition, token, ids) -> this.deadLetters.discard(partition, token, window, null, ids));
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
		return this.holdControl.hold(queue, MessageKey.of(queue, "any").inGroup(group).group(), until, why);
	}

	@Override
	public QueueHold hold(String queue, String group, Duration duration, String why) {
		return this.holdControl.hold(queue, MessageKey.of(queue, "any").inGroup(group).group(), duration, why);
	}

	@Override
	public void release(String queue) {
		this.holdControl.release(queue, null);
	}

	@Override
	public void release(String queue, String group) {
		this.holdControl.release(queue, MessageKey.of(queue, "any").inGroup(group).group());
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

	/**
	 * Reads the epochs of a queue from Redis, because this process may know an older
	 * state.
	 */
	private Epochs epochs(String queue) {
		QueueSettings settings = settings(queue);
		return this.retryingCalls.call(queue,
				() -> this.directory.read(queue).orElseGet(() -> this.directory.known(settings)));
	}

	private QueueSettings settings(String queue) {
		return this.queues.settings(queue);
	}

	private Redriven redrive(Partition partition, String token, @Nullable String group, List<Redrive> batch) {
		QueueSettings settings = settings(partition.queue());
		Redriven redriven = this.deadLetters.redrive(partition, token, settings.doneWindowOfGenerated(),
				settings.groups().quota(), group, batch);
		if (redriven.firstDueMillis() >= 0) {
			this.notifier.due(partition, Due.leftNanos(redriven.firstDueMillis(), redriven.nowMicros()));
		}
		return redriven;
	}

	/**
	 * Returns a random delay within the selection's spread; an even delay would need the
	 * number of messages in advance.
	 */
	private static Duration randomDelay(DeadLetterSelection selection) {
		long millis = selection.spread().toMillis();
		return Duration.ofMillis((millis > 0) ? ThreadLocalRandom.current().nextLong(millis) : 0);
	}

	/**
	 * Applies an action to the selected dead letters, step by step, up to the limit of
	 * the selection.
	 */
	private int each(DeadLetterSelection selection, Action action) {
		MessageList dead = new MessageList(epochs(selection.queue()), MessageState.DEAD, selection.reason());
		int done = 0;
		for (Partition partition : dead.epochs().partitions()) {
			if (done < selection.limit()) {
				done += each(dead, partition, selection.limit() - done, action);
			}
		}
		return done;
	}

	/**
	 * Applies an action to the dead letters that a partition has at the beginning of the
	 * walk: a redriven message may become a dead letter again before the end of the walk,
	 * and would be listed again.
	 */
	private int each(MessageList dead, Partition partition, int limit, Action action) {
		int done = 0;
		Position next = Position.BEGIN_BOUNDED;
		while (next != null && done < limit) {
			Position after = next;
			int most = Math.min(STEP, limit - done);
			Page page = this.retryingCalls.call(partition.queue(), () -> this.pages.page(dead, partition, after, most));
			List<String> ids = page.messages().stream().map(Listed::id).toList();
			if (!ids.isEmpty()) {
				String token = CallToken.next();
				done += this.retryingCalls.call(partition.queue(), () -> action.apply(partition, token, ids));
			}
			next = page.next();
		}
		return done;
	}

	/** An action on dead letters, which returns the number of changed dead letters. */
	@FunctionalInterface
	private interface Action {

		int apply(Partition partition, String token, List<String> ids);

	}

	private static DeadLetter letter(Placed placed) {
		Listed message = placed.message();
		return DeadLetters.letter(placed.partition(), message.id(), message.atMillis(), message.failure());
	}

}
