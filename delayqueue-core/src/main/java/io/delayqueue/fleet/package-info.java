/**
 * The processes that consume queues, as members of a fleet: which member sweeps a
 * partition now and which one owns it, hints between members, the check of idle
 * partitions, changes of the partition count, and holds. Public for the engine and the
 * actuator endpoint, not API. Next package: {@code io.delayqueue.delivery}.
 */
@NullMarked
package io.delayqueue.fleet;

import org.jspecify.annotations.NullMarked;
