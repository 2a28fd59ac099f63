/**
 * The processes that consume queues, as members of a fleet. The package determines which
 * member sweeps a partition and which member owns it, sends hints between members, checks
 * idle partitions, changes partition counts, and stores holds of queues and groups. The
 * public types of this package are for the engine and the actuator endpoint, and are not
 * API. Next package: {@code io.delayqueue.delivery}.
 */
@NullMarked
package io.delayqueue.fleet;

import org.jspecify.annotations.NullMarked;
