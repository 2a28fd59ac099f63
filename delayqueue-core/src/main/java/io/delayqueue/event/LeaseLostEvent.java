package io.delayqueue.event;

/**
 * This process has lost its lease on a message while the handler was running: the process
 * did not renew the lease within the visibility timeout. The message is delivered again,
 * and the result of the handler is ignored.
 *
 * @param queue the queue
 * @param id the message's id
 */
public record LeaseLostEvent(String queue, String id) implements DelayQueueEvent {
}
