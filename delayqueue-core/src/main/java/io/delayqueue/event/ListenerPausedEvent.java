package io.delayqueue.event;

/**
 * The listener of a queue was paused in one process: this listener reads no messages
 * until it is resumed.
 *
 * @param queue the queue; an application has one listener for each queue
 */
public record ListenerPausedEvent(String queue) implements DelayQueueEvent {
}
