package io.delayqueue.test;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import io.delayqueue.MessageState;
import io.delayqueue.delivery.Delivery;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.operate.MessagePages;
import io.delayqueue.operate.MessagePages.MessageList;
import io.delayqueue.operate.MessagePages.Placed;
import io.delayqueue.queue.Queues;
import io.delayqueue.store.Leases;
import io.delayqueue.store.PendingMessages;
import io.delayqueue.store.PendingMessages.Release;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.StoredId;

import org.springframework.aop.framework.AopInfrastructureBean;

/** Takes the lease of a message from its consumer, so that the message is redelivered. */
final class LeaseThief implements Consumer<Delivery>, AopInfrastructureBean {

	private final Queues queues;

	private final MessagePages pages;

	private final QueueDirectory directory;

	private final Leases leases;

	private final PendingMessages pending;

	LeaseThief(DelayQueueEngine engine) {
		this.queues = engine.queues();
		this.directory = engine.directory();
		this.pages = new MessagePages(engine.calls());
		this.leases = new Leases(engine.calls());
		this.pending = new PendingMessages(engine.calls());
	}

	@Override
	public void accept(Delivery delivery) {
		MessageList pending = new MessageList(this.directory.find(this.queues.settings(delivery.queue())),
				MessageState.PENDING, null);
		this.pages.list(pending, null, MessagePages.LARGEST, UnaryOperator.identity())
			.messages()
			.stream()
			.filter((placed) -> placed.message().storedId().equals(new StoredId(delivery.id(), delivery.group())))
			.forEach(this::take);
	}

	private void take(Placed placed) {
		String consumer = placed.message().consumer();
		if (consumer != null) {
			this.leases.of(placed.partition(), consumer, "")
				.stream()
				.map(Leases.Lease::entry)
				.filter((entry) -> this.leases.messageOf(placed.partition(), entry).equals(placed.message().storedId()))
				.forEach((entry) -> this.pending.settle(placed.partition(),
						List.of(new Release(entry, placed.message().storedId(), Release.DUE_NOW))));
		}
	}

}
