/**
 * The actuator endpoints and health. Begin with:
 * <ul>
 * <li>{@link io.delayqueue.actuate.DelayQueueEndpoint}: shows and operates queues;</li>
 * <li>{@link io.delayqueue.actuate.DelayQueueDashboardEndpoint}: the dashboard;</li>
 * <li>{@link io.delayqueue.actuate.DelayQueueHealthIndicator}: health.</li>
 * </ul>
 * A view of the endpoint reads counts and messages from Redis at the time of the request.
 * Operations go through the API and {@code io.delayqueue.operate}. Types are public for
 * the auto-configuration and the endpoint's callers, and are not API.
 */
@NullMarked
package io.delayqueue.actuate;

import org.jspecify.annotations.NullMarked;
