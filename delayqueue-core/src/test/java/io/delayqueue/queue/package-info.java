/**
 * Tests of the settings of a queue.
 */
@NullMarked
package io.delayqueue.queue;

import org.jspecify.annotations.NullMarked;
