package io.delayqueue.schedule;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult;
import io.delayqueue.observe.MessageSpan;
import io.delayqueue.observe.MessageTracing;
import io.delayqueue.record.CallToken;
import io.delayqueue.store.RetryingCalls;

import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Carries out the calls of producers that schedule messages. Each call of a producer has
 * one tracing span, however many messages it schedules.
 */
final class Scheduling {

	private final Requests requests;

	private final RetryingCalls retryingCalls;

	private final Sender sender;

	private final MessageTracing tracing;

	Scheduling(Requests requests, RetryingCalls retryingCalls, Sender sender, MessageTracing tracing) {
		this.requests = requests;
		this.retryingCalls = retryingCalls;
		this.sender = sender;
		this.tracing = tracing;
	}

	ScheduleResult schedule(ScheduleRequest request) {
		MessageSpan span = this.tracing.scheduling(request);
		try {
			return within(span, () -> send(this.requests.outgoing(request, span), span));
		}
		finally {
			span.end();
		}
	}

	/**
	 * Sends an occurrence of a recurring schedule, without a tracing span, because no
	 * caller has made a request for it.
	 */
	ScheduleResult schedule(OutgoingMessage outgoing) {
		return send(outgoing, MessageSpan.NONE);
	}

	List<ScheduleAnswer> scheduleAll(Collection<ScheduleRequest> requests) {
		MessageSpan span = this.tracing.scheduling(requests);
		try {
			return within(span, () -> {
				List<OutgoingMessage> all = requests.stream()
					.map((request) -> this.requests.outgoing(request, span))
					.toList();
				List<ScheduleAnswer> answers = new Bulk(this.sender).send(all, this.retryingCalls.begin());
				answers.forEach(span::answered);
				return answers;
			});
		}
		finally {
			span.end();
		}
	}

	/**
	 * Checks and serializes a message to schedule it later, in a tracing span of its own.
	 */
	PreparedMessage prepare(ScheduleRequest request, Duration window) {
		return prepare(this.tracing.scheduling(request), List.of(request), window).get(0);
	}

	/** Checks and serializes messages to schedule them later, all in one tracing span. */
	List<PreparedMessage> prepareAll(Collection<ScheduleRequest> requests, Duration window) {
		return prepare(this.tracing.scheduling(requests), requests, window);
	}

	private List<PreparedMessage> prepare(MessageSpan span, Collection<ScheduleRequest> requests, Duration window) {
		try {
			List<PreparedMessage> prepared = within(span,
					() -> requests.stream()
						.map((request) -> this.requests.outgoing(request, CallToken.lasting(window), span))
						.map(PreparedMessage::of)
						.toList());
			if (prepared.size() == 1) {
				span.message(prepared.get(0).id());
			}
			return prepared;
		}
		finally {
			span.end();
		}
	}

	/**
	 * Sends messages that were prepared before. The tracing headers of prepared messages
	 * come from the span in which the messages were prepared.
	 */
	List<ScheduleAnswer> send(List<PreparedMessage.Since> prepared) {
		List<OutgoingMessage> all = prepared.stream().map(this.requests::outgoing).toList();
		return new Bulk(this.sender).send(all, this.retryingCalls.begin());
	}

	/**
	 * Sends a message after the commit of the current transaction, or at once if there is
	 * no transaction. The tracing span of the message ends when the message was sent, or
	 * when the transaction has ended without a commit.
	 */
	String scheduleAfterCommit(ScheduleRequest request) {
		MessageSpan span = this.tracing.scheduling(request);
		boolean isLeftOpen = false;
		try {
			OutgoingMessage outgoing = within(span, () -> this.requests.outgoing(request, span));
			span.message(outgoing.id());
			if (TransactionSynchronizationManager.isSynchronizationActive()
					&& TransactionSynchronizationManager.isActualTransactionActive()) {
				AfterCommit.of(this.sender, this.retryingCalls).add(outgoing, span);
				isLeftOpen = true;
			}
			else {
				within(span, () -> send(outgoing, span));
			}
			return outgoing.id();
		}
		finally {
			if (!isLeftOpen) {
				span.end();
			}
		}
	}

	private static <T> T within(MessageSpan span, MessageSpan.Work<T, RuntimeException> work) {
		try {
			return span.during(work);
		}
		catch (RuntimeException | Error failure) {
			span.failed(failure);
			throw failure;
		}
	}

	private ScheduleResult send(OutgoingMessage outgoing, MessageSpan span) {
		span.message(outgoing.id());
		ScheduleAnswer answer = this.sender.send(outgoing, this.retryingCalls.begin());
		span.answered(answer);
		if (answer.result() == null) {
			throw answer.failure();
		}
		return answer.result();
	}

}
