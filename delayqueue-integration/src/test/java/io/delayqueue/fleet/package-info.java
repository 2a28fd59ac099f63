/**
 * Tests of the sweeper and of the hint listener, each in isolation.
 */
@NullMarked
package io.delayqueue.fleet;

import org.jspecify.annotations.NullMarked;
