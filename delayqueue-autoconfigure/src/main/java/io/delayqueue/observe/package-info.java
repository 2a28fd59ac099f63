/**
 * What can be counted, timed, told and traced: callbacks that the actors make, with a
 * twin that does nothing, one that keeps meters, and one that publishes events; and the
 * spans of a message's journey. Must neither break nor delay what it observes. Public for
 * the other rooms of this library, not API, but for
 * {@link io.delayqueue.observe.DelayQueueObservation} and the contexts of observations.
 * Reading on: {@code io.delayqueue.actuate}.
 */
@NullMarked
package io.delayqueue.observe;

import org.jspecify.annotations.NullMarked;
