package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.delayqueue.delivery.HandlerThreads.Threads;
import io.delayqueue.delivery.Intake.Reading;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.observe.QueueObserver.HandlerOutcome;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.Partition;
import io.delayqueue.store.ReadyMessages.Settled;
import io.delayqueue.store.UnreadableRecordException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * A consumer from one start to its stop.
 *
 * <p>
 * How a message passes through:
 * <ol>
 * <li>an intake takes a place for it and reads it;</li>
 * <li>a worker hands it to the handler, unless its lease may be over: then it is given
 * back;</li>
 * <li>the settler settles it, and its place is free again.</li>
 * </ol>
 */
final class ConsumerRun implements Intake.Receiver, Signals.ReadySignals, Settler.Settlements {

	private static final Log logger = LogFactory.getLog(ConsumerRun.class);

	private static final Duration LAST_READ = Duration.ofSeconds(2);

	// immutable

	private final QueueSettings settings;

	private final MessageHandler handler;

	private final ConsumerTools tools;

	private final BooleanSupplier paused;

	private final Threads threads;

	private final Permits permits;

	private final Workers workers;

	private final Settler settler;

	private final List<Intake> intakes = new ArrayList<>();

	private final Runnable onRedisBack = this::wakeUp;

	// shared and safe

	private final AtomicInteger running = new AtomicInteger();

	private volatile boolean closing;

	ConsumerRun(QueueSettings settings, MessageHandler handler, Threads threads, ConsumerTools tools,
			BooleanSupplier paused) {
		this.settings = settings;
		this.handler = handler;
		this.threads = threads;
		this.tools = tools;
		this.paused = paused;
		this.permits = new Permits(settings.concurrency(), this::roomAgain);
		this.workers = new Workers(settings.concurrency(), threads.executor(), this::handle);
		this.settler = new Settler(settings, tools.ready(), tools.gate(), this);
		Reading reading = new Reading(tools.ready(), () -> tools.directory().enter(settings), ConsumerName.next(),
				settings.visibilityTimeout(), tools.backstop());
		for (int number = 0; number < settings.partitions(); number++) {
			this.intakes
				.add(new Intake(new Partition(settings.name(), number), reading, tools.gate(), this.permits, this));
		}
	}

	void start() {
		this.tools.signals().consuming(this.settings.name(), this.settings.partitions(), this);
		this.tools.gate().onOpen(this.onRedisBack);
		this.settler.start();
		this.tools.loops().add(this.settler, this.settler::status);
		this.intakes.forEach((intake) -> {
			intake.start();
			this.tools.loops().add(intake, intake::status);
		});
	}

	/** Stops; whatever is unsettled by then is redelivered after its lease. */
	void stop(Duration timeout) {
		long end = System.nanoTime() + timeout.toNanos();
		this.tools.signals().notConsuming(this.settings.name());
		this.closing = true;
		this.intakes.forEach(Intake::close);
		this.workers.takeUnstarted().forEach((task) -> this.settler.add(Settlement.release(task)));
		this.intakes.forEach((intake) -> {
			intake.await(LAST_READ);
			this.tools.loops().remove(intake);
		});
		if (!this.permits.awaitAllBack(Duration.ofNanos(Math.max(0, end - System.nanoTime())))) {
			logger.warn("Queue '" + this.settings.name() + "' stops with " + this.permits.taken()
					+ " messages unsettled; they are redelivered after " + this.settings.visibilityTimeout());
		}
		this.settler.stop(Duration.ZERO);
		this.tools.loops().remove(this.settler);
		this.tools.gate().forget(this.onRedisBack);
		this.threads.close();
	}

	int inFlight() {
		return this.running.get();
	}

	void wakeUp() {
		this.intakes.forEach(Intake::tell);
		this.settler.wakeUp();
	}

	@Override
	public void ready(int partition) {
		this.intakes.get(partition).tell();
	}

	@Override
	public boolean isOpen() {
		return !this.closing && !this.paused.getAsBoolean();
	}

	@Override
	public void received(List<DeliveryTask> tasks) {
		boolean taken = this.workers.add(tasks);
		if (this.closing || !taken) {
			this.workers.takeUnstarted().forEach((task) -> this.settler.add(Settlement.release(task)));
		}
	}

	@Override
	public void unreadable(DeliveryTask task, UnreadableRecordException problem) {
		ended(task, System.nanoTime(), new UnreadableMessageException(String.valueOf(problem.getMessage()), problem));
	}

	@Override
	public void settled(Settlement settlement, Settled settled) {
		this.permits.giveBack(1);
		if (settled == Settled.SUPERSEDED) {
			this.tools.observer().superseded(this.settings.name());
		}
		if (settlement.kind() == Settlement.Kind.RELEASE) {
			this.tools.observer().released(this.settings.name(), 1);
		}
	}

	private void handle(DeliveryTask task) {
		if (this.closing || task.isLeaseLost()) {
			this.settler.add(Settlement.release(task));
			return;
		}
		this.running.incrementAndGet();
		if (task.attempt() == 1) {
			this.tools.observer().delivered(this.settings.name(), task.lateness());
		}
		long began = System.nanoTime();
		try {
			CompletionStage<?> stage = this.handler.handle(task);
			if (stage == null) {
				this.running.decrementAndGet();
				ended(task, began, null);
			}
			else {
				stage.whenComplete((ignored, failure) -> {
					this.running.decrementAndGet();
					ended(task, began, (failure instanceof CompletionException && failure.getCause() != null)
							? failure.getCause() : failure);
				});
			}
		}
		catch (Throwable failure) {
			this.running.decrementAndGet();
			ended(task, began, failure);
		}
		finally {
			// What a handler did to its thread is not the next message's business
			Thread.interrupted();
		}
	}

	private void ended(DeliveryTask task, long began, @Nullable Throwable failure) {
		Duration took = Duration.ofNanos(System.nanoTime() - began);
		if (failure == null) {
			this.tools.observer().handled(this.settings.name(), HandlerOutcome.SUCCESS, took);
			this.settler.add(Settlement.acknowledge(task));
			return;
		}
		boolean unreadable = failure instanceof UnreadableMessageException;
		logger.error(
				"Message '" + task.id() + "' of queue '" + task.queue() + "' "
						+ (unreadable ? "cannot be read" : "failed") + " and is set aside among the dead letters",
				failure);
		this.tools.observer()
			.handled(this.settings.name(), unreadable ? HandlerOutcome.UNREADABLE : HandlerOutcome.FAILURE, took);
		this.settler.add(Settlement.deadLetter(task,
				unreadable ? FailureReason.unreadable(failure) : FailureReason.handlerFailed(failure)));
	}

	private void roomAgain() {
		this.intakes.forEach(Intake::roomAgain);
	}

}
