/**
 * What can be counted and timed: callbacks that the actors make, with a twin that does
 * nothing and one that keeps meters. Must not break what it observes. Public for the
 * other rooms of this library, not API. Reading on: {@code io.delayqueue.actuate}.
 */
@NullMarked
package io.delayqueue.observe;

import org.jspecify.annotations.NullMarked;
