/**
 * The settings of a queue: immutable and validated. Knows nothing of Redis, threads or
 * configuration files. Public for the other rooms of this library, not API. Reading on:
 * {@code io.delayqueue.schedule}.
 */
@NullMarked
package io.delayqueue.queue;

import org.jspecify.annotations.NullMarked;
