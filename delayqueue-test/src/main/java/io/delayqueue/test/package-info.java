/**
 * Support for tests of delayed messages with the real engine and a real Redis; the tests
 * do not wait for due times. {@link io.delayqueue.test.DelayQueueTest} is a test slice
 * for listeners; {@link io.delayqueue.test.AutoConfigureDelayQueueTest} adds the support
 * to a {@code @SpringBootTest}. A test advances the time with
 * {@link io.delayqueue.test.DelayQueueTime}, and uses
 * {@link io.delayqueue.test.TestQueues} for assertions and injected failures.
 */
@NullMarked
package io.delayqueue.test;

import org.jspecify.annotations.NullMarked;
