/**
 * Tests of the producer without Redis.
 */
@NullMarked
package io.delayqueue.schedule;

import org.jspecify.annotations.NullMarked;
