/**
 * Tests of the tasks, the wake-ups and the gate that run the actors.
 */
@NullMarked
package io.delayqueue.lifecycle;

import org.jspecify.annotations.NullMarked;
