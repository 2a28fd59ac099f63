package io.delayqueue.test;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.delayqueue.BatchFailedException;
import io.delayqueue.HandlerTimeoutException;
import io.delayqueue.delivery.BatchHandler;
import io.delayqueue.delivery.BatchSettings;
import io.delayqueue.delivery.CancellableStage;
import io.delayqueue.delivery.Delivery;
import io.delayqueue.delivery.MessageHandler;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.delivery.QueueConsumerFactory;
import io.delayqueue.queue.QueueSettings;
import org.jspecify.annotations.Nullable;

/**
 * Creates consumers of queues, and wraps their handlers. The wrapped handlers record
 * deliveries and their results, and inject faults.
 */
final class RecordingConsumerFactory implements QueueConsumerFactory {

	private final QueueConsumerFactory consumers;

	private final Deliveries deliveries;

	private final Consumer<Delivery> leaseThief;

	RecordingConsumerFactory(QueueConsumerFactory consumers, Deliveries deliveries, Consumer<Delivery> leaseThief) {
		this.consumers = consumers;
		this.deliveries = deliveries;
		this.leaseThief = leaseThief;
	}

	@Override
	public QueueConsumer create(QueueSettings settings, MessageHandler handler, @Nullable MessageHandler expired,
			@Nullable Executor executor) {
		return this.consumers.create(settings, new WatchedHandler(handler),
				(expired != null) ? new WatchedHandler(expired) : null, executor);
	}

	@Override
	public QueueConsumer create(QueueSettings settings, BatchHandler handler, BatchSettings batches,
			@Nullable MessageHandler expired, @Nullable Executor executor) {
		return this.consumers.create(settings, new WatchedBatches(handler), batches,
				(expired != null) ? new WatchedHandler(expired) : null, executor);
	}

	private RecordedDelivery record(Delivery delivery) {
		RecordedDelivery recorded = new RecordedDelivery(delivery);
		this.deliveries.add(recorded);
		if (this.deliveries.faults(delivery.queue()).takesLease()) {
			this.leaseThief.accept(delivery);
		}
		return recorded;
	}

	/**
	 * Records the end of a delivery when the stage of the handler completes, or at once
	 * if there is none. The end is recorded before the engine is notified.
	 */
	private static @Nullable CompletionStage<?> ending(@Nullable CompletionStage<?> stage,
			Consumer<@Nullable Throwable> end) {
		if (stage == null) {
			end.accept(null);
			return null;
		}
		return new CancellableStage(stage.whenComplete((value, failure) -> end.accept(MessageHandler.causeOf(failure))),
				stage);
	}

	private final class WatchedHandler implements MessageHandler {

		private final MessageHandler handler;

		WatchedHandler(MessageHandler handler) {
			this.handler = handler;
		}

		@Override
		public @Nullable CompletionStage<?> handle(Delivery delivery) throws Throwable {
			RecordedDelivery recorded = record(delivery);
			try {
				RecordingConsumerFactory.this.deliveries.faults(delivery.queue()).fail();
				return ending(this.handler.handle(delivery), recorded::ended);
			}
			catch (Throwable failure) {
				recorded.ended(failure);
				throw failure;
			}
		}

		@Override
		public boolean isInterruptible() {
			return this.handler.isInterruptible();
		}

		@Override
		public boolean handlesTimeouts() {
			return this.handler.handlesTimeouts();
		}

		@Override
		public void timedOut(Delivery delivery, HandlerTimeoutException timeout) throws Throwable {
			this.handler.timedOut(delivery, timeout);
		}

	}

	/**
	 * A delivery in a batch, and the value that the batch handler has read from its
	 * payload.
	 */
	private record Read(Delivery delivery, Object value) {
	}

	private final class WatchedBatches implements BatchHandler {

		private final BatchHandler handler;

		WatchedBatches(BatchHandler handler) {
			this.handler = handler;
		}

		@Override
		public Object read(Delivery delivery) {
			return new Read(delivery, this.handler.read(delivery));
		}

		@Override
		public @Nullable CompletionStage<?> handle(List<Object> batch) throws Throwable {
			List<Read> read = batch.stream().map(Read.class::cast).toList();
			List<RecordedDelivery> recorded = read.stream().map((one) -> record(one.delivery())).toList();
			Consumer<@Nullable Throwable> end = (failure) -> recorded
				.forEach((one) -> one.ended(failureOf(one, failure)));
			try {
				RecordingConsumerFactory.this.deliveries.faults(recorded.get(0).queue()).fail();
				return ending(this.handler.handle(read.stream().map(Read::value).toList()), end);
			}
			catch (Throwable failure) {
				end.accept(failure);
				throw failure;
			}
		}

		private static @Nullable Throwable failureOf(RecordedDelivery delivery, @Nullable Throwable failure) {
			if (failure instanceof BatchFailedException some) {
				return some.failures().isEmpty() ? failure
						: some.failureOf(delivery.id(), delivery.group()).orElse(null);
			}
			return failure;
		}

	}

}
