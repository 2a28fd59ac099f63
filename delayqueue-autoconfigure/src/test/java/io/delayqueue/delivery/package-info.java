/**
 * Tests of what a consumer does apart from Redis.
 */
@NullMarked
package io.delayqueue.delivery;

import org.jspecify.annotations.NullMarked;
