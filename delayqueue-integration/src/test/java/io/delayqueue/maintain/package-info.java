/**
 * Tests of the maintenance of queues.
 */
@NullMarked
package io.delayqueue.maintain;

import org.jspecify.annotations.NullMarked;
