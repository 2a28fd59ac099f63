/**
 * What can be counted, timed and told: callbacks that the actors make, with a twin that
 * does nothing, one that keeps meters, and one that publishes events. Must neither break
 * nor delay what it observes. Public for the other rooms of this library, not API.
 * Reading on: {@code io.delayqueue.actuate}.
 */
@NullMarked
package io.delayqueue.observe;

import org.jspecify.annotations.NullMarked;
