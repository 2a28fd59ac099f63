/**
 * Tests of the outbox on real databases and a real Redis.
 */
@NullMarked
package io.delayqueue.outbox;

import org.jspecify.annotations.NullMarked;
