package io.delayqueue.outbox.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;

import io.delayqueue.MessageKey;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.outbox.DelayQueueOutbox;
import io.delayqueue.record.CallToken;
import io.delayqueue.schedule.PreparedCalls;
import io.delayqueue.schedule.PreparedMessage;

/**
 * Implements {@link DelayQueueOutbox} by writing rows to the table of the outbox.
 */
class DelayQueueOutboxTemplate implements DelayQueueOutbox {

	private final PreparedCalls calls;

	private final OutboxTable table;

	private final CallerTransaction transaction;

	private final Duration window;

	private final OutboxSender sender;

	DelayQueueOutboxTemplate(PreparedCalls calls, OutboxTable table, CallerTransaction transaction, Duration window,
			OutboxSender sender) {
		this.calls = calls;
		this.table = table;
		this.transaction = transaction;
		this.window = window;
		this.sender = sender;
	}

	@Override
	public String schedule(ScheduleRequest request) {
		this.transaction.require();
		PreparedMessage message = this.calls.prepare(request, this.window);
		write(List.of(NewRow.schedule(message)));
		return message.id();
	}

	@Override
	public List<String> scheduleAll(Collection<ScheduleRequest> requests) {
		this.transaction.require();
		List<PreparedMessage> messages = this.calls.prepareAll(requests, this.window);
		if (!messages.isEmpty()) {
			write(messages.stream().map(NewRow::schedule).toList());
		}
		return messages.stream().map(PreparedMessage::id).toList();
	}

	@Override
	public void cancel(MessageKey key) {
		this.transaction.require();
		write(List.of(NewRow.cancel(key, token())));
	}

	@Override
	public void reschedule(MessageKey key, Duration delay) {
		this.transaction.require();
		write(List.of(NewRow.reschedule(key, token(), this.calls.prepare(key, delay))));
	}

	@Override
	public void reschedule(MessageKey key, Instant dueAt) {
		this.transaction.require();
		write(List.of(NewRow.reschedule(key, token(), this.calls.prepare(key, dueAt))));
	}

	private String token() {
		return CallToken.lasting(this.window);
	}

	private void write(List<NewRow> rows) {
		this.transaction.afterCommit(this.table.insert(rows), this.sender::handOver);
	}

}
