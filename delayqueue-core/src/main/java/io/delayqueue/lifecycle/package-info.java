/**
 * Runs the actors (background activities) of a process and lets them interact without
 * depending on each other: contains their tasks with the threads on which these run, the
 * signals about queues and partitions, and the gate that stops calls to an unreachable
 * Redis. This package depends neither on queue settings nor on messages. The public types
 * of this package are for other packages of this library, and are not API. Next package:
 * {@code io.delayqueue.fleet}.
 */
@NullMarked
package io.delayqueue.lifecycle;

import org.jspecify.annotations.NullMarked;
