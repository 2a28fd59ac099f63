/**
 * The operator's side: lists, redrives and discards dead letters; pauses, drains, purges,
 * audits and repairs whole queues. This package does not depend on sweeping or delivery,
 * and interacts with them only through Redis and the wake-ups of
 * {@code io.delayqueue.lifecycle}. Public for the auto-configuration, not API. Next
 * package: {@code io.delayqueue.actuate}.
 */
@NullMarked
package io.delayqueue.operate;

import org.jspecify.annotations.NullMarked;
