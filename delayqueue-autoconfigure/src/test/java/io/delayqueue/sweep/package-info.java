/**
 * Tests of the sweeper and of the hint listener, each in isolation.
 */
@NullMarked
package io.delayqueue.sweep;

import org.jspecify.annotations.NullMarked;
