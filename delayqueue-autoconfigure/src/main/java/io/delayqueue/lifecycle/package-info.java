/**
 * What keeps the actors going and lets them meet without knowing each other: the one
 * background loop, the named wake-ups, and the gate that spares a lost Redis. Knows
 * nothing of queues' settings, messages or Redis. Public for the other rooms of this
 * library, not API. Reading on: {@code io.delayqueue.sweep}.
 */
@NullMarked
package io.delayqueue.lifecycle;

import org.jspecify.annotations.NullMarked;
