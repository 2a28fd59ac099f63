/**
 * Runs the actors (background activities) and lets them interact without depending on
 * each other: loops, wake-ups by queue and partition, and the gate that stops calls to an
 * unreachable Redis. This package depends neither on queue settings nor on messages.
 * Public for the other packages of this library, not API. Next package:
 * {@code io.delayqueue.fleet}.
 */
@NullMarked
package io.delayqueue.lifecycle;

import org.jspecify.annotations.NullMarked;
