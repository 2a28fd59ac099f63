/**
 * Tests of the tasks, the wake-ups and the gate that run the actors.
 */
@NullMarked
package io.delayqueue.fleet;

import org.jspecify.annotations.NullMarked;
