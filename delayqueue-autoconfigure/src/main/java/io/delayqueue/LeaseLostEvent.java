package io.delayqueue;

/**
 * This process has lost a message while its handler ran: it was silent for longer than
 * the visibility timeout, or the handler ran for longer than the maximum processing time.
 * The message is delivered again, and what the handler returns does not count.
 *
 * @param queue the queue
 * @param id the message's id
 */
public record LeaseLostEvent(String queue, String id) implements DelayQueueEvent {
}
