/**
 * The processes that consume queues, as members of a fleet: whose turn it is to sweep a
 * partition, which member owns it, hints between them, and the check of idle partitions.
 * Public for the engine and the actuator endpoint, not API. Next package:
 * {@code io.delayqueue.delivery}.
 */
@NullMarked
package io.delayqueue.fleet;

import org.jspecify.annotations.NullMarked;
