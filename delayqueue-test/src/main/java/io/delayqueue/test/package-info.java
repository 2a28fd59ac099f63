/**
 * Support for tests of delayed messages with the real engine and a real Redis, without
 * waiting: {@link io.delayqueue.test.DelayQueueTest} for a test slice of listeners,
 * {@link io.delayqueue.test.AutoConfigureDelayQueueTest} beside {@code @SpringBootTest};
 * then {@link io.delayqueue.test.DelayQueueTime} to advance the time,
 * {@link io.delayqueue.test.TestQueues} for assertions and injected failures.
 */
@NullMarked
package io.delayqueue.test;

import org.jspecify.annotations.NullMarked;
