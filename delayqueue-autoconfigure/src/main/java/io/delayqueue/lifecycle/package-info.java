/**
 * Runs the actors and lets them interact without depending on each other: the background
 * loop, the named wake-ups, and the gate that stops calls to an unreachable Redis. Does
 * not depend on queue settings, messages or Redis. Public for the other packages of this
 * library, not API. Reading on: {@code io.delayqueue.sweep}.
 */
@NullMarked
package io.delayqueue.lifecycle;

import org.jspecify.annotations.NullMarked;
