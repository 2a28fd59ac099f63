/**
 * A breadth-first check of the state machine. One message id in several generations, two
 * consumers, callers that repeat what they have no answer to, and every failure at every
 * point: all states that can be reached are visited, so what holds here holds for every
 * order of events within the {@link io.delayqueue.model.Scope}.
 *
 * <p>
 * Reading on:
 * <ol>
 * <li>{@link io.delayqueue.model.ScheduleScripts},
 * {@link io.delayqueue.model.CancelScript}, {@link io.delayqueue.model.SweepScripts},
 * {@link io.delayqueue.model.SettlementScripts},
 * {@link io.delayqueue.model.DeadLetterScripts},
 * {@link io.delayqueue.model.RepairScript}: each script of the library as a method that
 * lists its writes in order;</li>
 * <li>{@link io.delayqueue.model.CallerSteps}, {@link io.delayqueue.model.CancelSteps},
 * {@link io.delayqueue.model.ConsumerSteps}, {@link io.delayqueue.model.ServerSteps}: who
 * runs them, and what they make of the answers;</li>
 * <li>{@link io.delayqueue.model.Property}: what must hold;</li>
 * <li>{@link io.delayqueue.model.Mutation}: the design with one thing wrong, which the
 * check must notice, or it proves nothing;</li>
 * <li>{@link io.delayqueue.model.State} to {@link io.delayqueue.model.Exploration}: the
 * search.</li>
 * </ol>
 *
 * <p>
 * Modelled: schedule with the policies "keep" and "replace", reschedule, cancel, sweep,
 * park and unpark, expire, XREADGROUP and the two HMGET after it, the handler,
 * acknowledge, retry, dead-letter, release, reclaim, redrive, discard, repair; call
 * tokens, tombstones, the answers of cancel that are remembered, and the windows of all
 * of them. What fails: a script stops after any single write; an answer or a request is
 * lost; a copy of a request arrives after its answer; a consumer dies, freezes and wakes
 * up. A consumer whose process lives and works on an entry is never reclaimed from: that
 * is the heartbeat. A consumer that stood still starts nothing: that is the lease guard.
 *
 * <p>
 * Weaker than the rest, and only after a script has stopped half-way: a handler may still
 * start after "cancelled" when a replace stopped after it had taken the fence away; a
 * repeated call may be told "cancelled" of a message that has been handled; left-overs
 * stay until repair or the next schedule clears them.
 *
 * <p>
 * Not modelled:
 * <ul>
 * <li>batches: no decision about one id reads a key of another, and each id sees its
 * writes in the order listed here, so a batch is, for each of its ids, one of these
 * runs;</li>
 * <li>limits, quotas and order of groups: whether a group is full is left to chance, and
 * {@code grouped}, {@code groups} and {@code active} are not there; postpone, which
 * writes what replace writes;</li>
 * <li>defer, which is a release to a later time; pause, drain and purge, the
 * janitor;</li>
 * <li>real time: the clock has three values, a retry is due at once, and a window ends at
 * any time that is not ruled out. A copy of a request that arrives after the window of
 * its tombstone is not recognised;</li>
 * <li>a memory of reschedule: repeated after its message was cancelled and scheduled
 * anew, it moves the new one;</li>
 * <li>a Redis that loses what it has accepted, and a clock that jumps.</li>
 * </ul>
 */
@NullMarked
package io.delayqueue.model;

import org.jspecify.annotations.NullMarked;
