/**
 * The actuator endpoint, the dashboard and health. A view of the endpoint reads counts
 * and messages from Redis at the time of the request. Operations of the endpoint go
 * through the API and {@code io.delayqueue.operate}. Types are public for the
 * auto-configuration and the endpoint's callers, and are not API.
 */
@NullMarked
package io.delayqueue.actuate;

import org.jspecify.annotations.NullMarked;
