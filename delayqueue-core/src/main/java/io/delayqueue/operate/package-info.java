/**
 * The package for operators: lists, redrives and discards dead letters; pauses, drains,
 * purges, audits and repairs whole queues. This package does not depend on the packages
 * for sweeping and delivery, and interacts with them only through Redis and the signals
 * of {@code io.delayqueue.lifecycle}. The public types of this package are for the
 * auto-configuration, and are not API. Next package: {@code io.delayqueue.actuate}.
 */
@NullMarked
package io.delayqueue.operate;

import org.jspecify.annotations.NullMarked;
