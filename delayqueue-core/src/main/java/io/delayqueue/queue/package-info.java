/**
 * The settings of a queue, immutable and validated; its partitions and epochs; generated
 * ids and names. Does not depend on Redis, threads or configuration files. Public for the
 * other packages of this library, not API. Next package: {@code io.delayqueue.schedule}.
 */
@NullMarked
package io.delayqueue.queue;

import org.jspecify.annotations.NullMarked;
