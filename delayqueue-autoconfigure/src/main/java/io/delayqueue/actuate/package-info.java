/**
 * The actuator endpoint, the dashboard and health. A view reads from the store at the
 * time of the request, never from the actors; operations go through the API and {@code
 * io.delayqueue.operate}. Types are public for the auto-configuration and the endpoint's
 * callers, and are not API.
 */
@NullMarked
package io.delayqueue.actuate;

import org.jspecify.annotations.NullMarked;
