package io.delayqueue.delivery;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import io.delayqueue.observe.AbandonedRuns;
import io.delayqueue.observe.QueueObserver;
import org.jspecify.annotations.Nullable;

/**
 * A consumer of one queue. Each start of the consumer assembles a new pipeline, a
 * {@link RunningConsumer}.
 */
final class RedisQueueConsumer implements QueueConsumer {

	private final String queue;

	/**
	 * Assembles a pipeline, which asks the given supplier whether this consumer is
	 * paused.
	 */
	private final Function<BooleanSupplier, RunningConsumer> pipelines;

	/** The running pipelines of this process, by queue. */
	private final Map<String, RunningConsumer> running;

	private final QueueObserver observer;

	private final AtomicBoolean paused = new AtomicBoolean();

	private volatile @Nullable RunningConsumer run;

	RedisQueueConsumer(String queue, Function<BooleanSupplier, RunningConsumer> pipelines,
			Map<String, RunningConsumer> running, QueueObserver observer) {
		this.queue = queue;
		this.pipelines = pipelines;
		this.running = running;
		this.observer = observer;
	}

	@Override
	public synchronized void start() {
		if (this.run == null) {
			RunningConsumer started = this.pipelines.apply(this.paused::get);
			started.start();
			this.running.put(this.queue, started);
			// The partitions may have changed before this consumer could be notified of
			// changes
			started.partitionsChanged();
			this.run = started;
		}
	}

	@Override
	public synchronized void stop(Duration timeout) {
		RunningConsumer running = this.run;
		if (running != null) {
			this.running.remove(this.queue, running);
			running.stop(timeout);
			this.run = null;
		}
	}

	@Override
	public void pause() {
		if (this.paused.compareAndSet(false, true)) {
			this.observer.paused(this.queue);
		}
	}

	@Override
	public void resume() {
		if (!this.paused.compareAndSet(true, false)) {
			return;
		}
		this.observer.resumed(this.queue);
		RunningConsumer running = this.run;
		if (running != null) {
			running.wakeUp();
		}
	}

	@Override
	public boolean isRunning() {
		return this.run != null;
	}

	@Override
	public boolean isPaused() {
		return this.paused.get();
	}

	@Override
	public AbandonedRuns abandoned() {
		RunningConsumer running = this.run;
		return (running != null) ? running.runs().abandoned() : AbandonedRuns.NONE;
	}

	@Override
	public boolean isThrottled() {
		RunningConsumer running = this.run;
		return running != null && running.isThrottled();
	}

	@Override
	public int inFlight() {
		RunningConsumer running = this.run;
		return (running != null) ? running.runs().inFlight() : 0;
	}

}
