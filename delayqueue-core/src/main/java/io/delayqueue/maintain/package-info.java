/**
 * Maintains the keys of the queues that this process consumes: the audit finds counts
 * that do not add up, the repair corrects and reports the damage, the janitor removes
 * dead consumers. Maintenance never handles a message. Interacts with the other actors
 * only through Redis and the wake-ups of {@code io.delayqueue.lifecycle}. Public for the
 * auto-configuration, not API. Reading on: {@code io.delayqueue.listener}.
 */
@NullMarked
package io.delayqueue.maintain;

import org.jspecify.annotations.NullMarked;
