/**
 * Looks after the keys of the queues that this process consumes: the audit finds what
 * does not add up, repair puts it right and reports it, the janitor removes consumers
 * that are long dead. Never handles a message; meets the other actors only in Redis and
 * in the wake-ups of {@code io.delayqueue.lifecycle}. Public for the auto-configuration,
 * not API. Reading on: {@code io.delayqueue.listener}.
 */
@NullMarked
package io.delayqueue.maintain;

import org.jspecify.annotations.NullMarked;
