/**
 * What an operator does: looks at dead letters, gives them another chance, or removes
 * them; pauses, drains, purges, audits and repairs whole queues. Knows nothing of
 * sweeping and delivery; meets them only in Redis and in the wake-ups of
 * {@code io.delayqueue.lifecycle}. Public for the auto-configuration, not API. Reading
 * on: {@code io.delayqueue.actuate}.
 */
@NullMarked
package io.delayqueue.operate;

import org.jspecify.annotations.NullMarked;
