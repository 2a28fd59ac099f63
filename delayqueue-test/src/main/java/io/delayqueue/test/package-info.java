/**
 * Tests of delayed messages with the real engine and a real Redis, which do not wait for
 * due times. Begin with:
 * <ul>
 * <li>{@link io.delayqueue.test.DelayQueueTest}: a test slice for listeners;
 * {@link io.delayqueue.test.AutoConfigureDelayQueueTest} adds the same to a
 * {@code @SpringBootTest};</li>
 * <li>{@link io.delayqueue.test.DelayQueueTime}: advances the time;</li>
 * <li>{@link io.delayqueue.test.TestQueues}: assertions and injected failures.</li>
 * </ul>
 */
@NullMarked
package io.delayqueue.test;

import org.jspecify.annotations.NullMarked;
