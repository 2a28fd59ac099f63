/**
 * Tests of meters, events and tracing.
 */
@NullMarked
package io.delayqueue.observe;

import org.jspecify.annotations.NullMarked;
