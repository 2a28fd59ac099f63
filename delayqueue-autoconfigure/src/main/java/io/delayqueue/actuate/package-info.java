/**
 * What an operator sees: the actuator endpoint and health. Only looks; what is shown
 * comes from the store when it is asked for, never from the actors. Public for the
 * auto-configuration and the endpoint's callers, not API.
 */
@NullMarked
package io.delayqueue.actuate;

import org.jspecify.annotations.NullMarked;
