package io.delayqueue.delivery;

import io.delayqueue.queue.QueueSettings;

/**
 * What one start of a consumer is about.
 *
 * @param settings the queue's settings, with the consumer's concurrency
 * @param consumer its name in the group
 * @param consumption how messages are handed over
 */
record ConsumerPlan(QueueSettings settings, String consumer, Consumption consumption) {
}
