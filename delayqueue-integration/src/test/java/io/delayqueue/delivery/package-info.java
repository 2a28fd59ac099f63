/**
 * Tests of the parts of a consumer, each in isolation.
 */
@NullMarked
package io.delayqueue.delivery;

import org.jspecify.annotations.NullMarked;
