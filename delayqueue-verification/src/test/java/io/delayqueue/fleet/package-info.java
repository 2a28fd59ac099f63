/**
 * Tests of a queue whose partition count changes.
 */
@NullMarked
package io.delayqueue.fleet;

import org.jspecify.annotations.NullMarked;
