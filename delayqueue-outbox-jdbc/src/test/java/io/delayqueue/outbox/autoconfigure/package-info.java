/**
 * Tests of the outbox that need package-private types.
 */
@NullMarked
package io.delayqueue.outbox.autoconfigure;

import org.jspecify.annotations.NullMarked;
