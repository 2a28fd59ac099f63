/**
 * Tests of what a producer does apart from Redis.
 */
@NullMarked
package io.delayqueue.schedule;

import org.jspecify.annotations.NullMarked;
