/**
 * The settings of a queue, which are immutable and validated; its partitions and epochs
 * (partition counts); generated ids and names. This package does not depend on Redis,
 * threads or configuration files. The public types of this package are for other packages
 * of this library, and are not API. Next package: {@code io.delayqueue.schedule}.
 */
@NullMarked
package io.delayqueue.queue;

import org.jspecify.annotations.NullMarked;
