/**
 * What an operator sees and does: the actuator endpoint, the dashboard and health. What
 * is shown comes from the store when it is asked for, never from the actors; what is done
 * goes through the API and {@code io.delayqueue.operate}. Public for the
 * auto-configuration and the endpoint's callers, not API.
 */
@NullMarked
package io.delayqueue.actuate;

import org.jspecify.annotations.NullMarked;
