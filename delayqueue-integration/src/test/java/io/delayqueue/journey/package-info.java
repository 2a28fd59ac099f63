/**
 * Messages from schedule to settlement, in applications as users write them, on a real
 * Redis.
 */
@NullMarked
package io.delayqueue.journey;

import org.jspecify.annotations.NullMarked;
