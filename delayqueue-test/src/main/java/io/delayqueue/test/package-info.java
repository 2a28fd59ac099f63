/**
 * Tests of what happens later, on the real engine and a real Redis, without waiting for
 * it. {@link io.delayqueue.test.DelayQueueTest} for a listener by itself,
 * {@link io.delayqueue.test.AutoConfigureDelayQueueTest} beside {@code @SpringBootTest};
 * then {@link io.delayqueue.test.DelayQueueTime} to travel,
 * {@link io.delayqueue.test.TestQueues} to look and to provoke failures.
 */
@NullMarked
package io.delayqueue.test;

import org.jspecify.annotations.NullMarked;
