/**
 * A breadth-first check of the state machine: all states that can be reached are visited,
 * so what holds here holds for every order of events within a scope. There are two
 * models. {@link io.delayqueue.model.MessageModel} looks closely at one message id in
 * several generations, with two consumers, callers that repeat what they have no answer
 * to, and every failure at every point. {@link io.delayqueue.model.GroupModel} looks at
 * two or three ids of one group, and at what they share: its quota, its limit, who is
 * parked, who makes room, and who goes first.
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
 * <li>{@link io.delayqueue.model.CallerSteps},
 * {@link io.delayqueue.model.RememberedCallSteps},
 * {@link io.delayqueue.model.ConsumerSteps}, {@link io.delayqueue.model.ServerSteps}: who
 * runs them, and what they make of the answers;</li>
 * <li>{@link io.delayqueue.model.GroupPlaces},
 * {@link io.delayqueue.model.GroupScheduling}, {@link io.delayqueue.model.GroupSweep},
 * {@link io.delayqueue.model.GroupSettling}, {@link io.delayqueue.model.GroupUpkeep}, and
 * {@link io.delayqueue.model.GroupCallers}, {@link io.delayqueue.model.GroupConsumers},
 * {@link io.delayqueue.model.GroupServer}: the same of a group;</li>
 * <li>{@link io.delayqueue.model.Property}: what must hold;</li>
 * <li>{@link io.delayqueue.model.Mutation} and {@link io.delayqueue.model.GroupMutation}:
 * the design with one thing wrong, which the check must notice, or it proves
 * nothing;</li>
 * <li>{@link io.delayqueue.model.State} to {@link io.delayqueue.model.Exploration}: the
 * search.</li>
 * </ol>
 *
 * <p>
 * Modelled: schedule with the policies "keep", "replace" and "postpone", reschedule,
 * cancel, sweep, park and unpark, XREADGROUP and the two looks after it (one script
 * today), an expiry that a consumer finds, the handler, acknowledge, retry, dead-letter,
 * release, reclaim, redrive, discard, repair; quotas that reject or drop the oldest, dead
 * letters that count or do not; call tokens, tombstones, the answers of cancel, redrive
 * and discard that are remembered, and the windows of all of them. What fails: a script
 * stops after any single write; an answer or a request is lost; a copy of a request
 * arrives after its answer; a consumer dies, freezes and wakes up. A consumer whose
 * process lives and works on an entry is never reclaimed from: that is the heartbeat. A
 * consumer that stood still starts nothing: that is the lease guard. In the model of one
 * id a handler may hang: it is abandoned, and its lease kept until that is settled. Redis
 * may refuse all writes for longer than a visibility timeout: what is refused is
 * repeated, and nothing is reclaimed before the heartbeats after it.
 *
 * <p>
 * What holds of a group, precisely. Its quota is never exceeded, except by one for each
 * script that stopped half-way. Never more than its limit are ready or pending, not
 * counting those whose record was cancelled or replaced while a consumer had them; after
 * a script has stopped half-way, or a consumer stood still until its message was taken
 * back, never more than the limit are ready or being handled. In a strict group nothing
 * becomes ready before an earlier one that is due, waits for its retry, or is under way,
 * unless a replace or a reschedule of one of the two stopped half-way. Once repair has
 * run, and without a stopped script even before, the members of the group are its living
 * messages, and sweeps alone bring back what is parked as soon as there is room.
 *
 * <p>
 * Weaker than the rest, and only after a script has stopped half-way: a handler may still
 * start after "cancelled" when a replace stopped after it had taken the fence away; a
 * repeated call may be told "cancelled" of a message that has been handled; a repeated
 * discard may report as removed what was redriven before the repeat, and a repeated
 * redrive may report nothing if somebody else has finished its first run; a message that
 * was swept may be delivered again while its consumer lives; what was replaced may have
 * no expiry if it went on before the call was repeated, and may wait for the due time of
 * a replace that is not repeated; what has failed and was half rescheduled may keep its
 * place in a strict group until it is due; left-overs stay until repair or the next
 * schedule clears them.
 *
 * <p>
 * Not modelled:
 * <ul>
 * <li>batches: apart from the places of a group no decision about one id reads a key of
 * another, and each id sees its writes in the order listed here, so a batch is, for each
 * of its ids, one of these runs. Sweeps of a group are modelled as the batches that they
 * are; several messages of one group in one schedule call are not;</li>
 * <li>more than one group, weights, and limits that change;</li>
 * <li>the policy "fail", which writes what "keep" writes; the bound of postpone, which is
 * arithmetic; defer, which is a retry; pause, drain and purge, the janitor;</li>
 * <li>real time: the clock has three values, or two in a group, a retry is due at once,
 * or in a group after any wait, and a window ends at any time that is not ruled out. A
 * copy of a request that arrives after the window of its tombstone is not
 * recognised;</li>
 * <li>of one id, a memory of reschedule: repeated after its message was cancelled and
 * scheduled anew, it moves the new one;</li>
 * <li>permits, threads and back-offs, and so whether one message or settlement keeps
 * another one waiting: the soak looks for that;</li>
 * <li>what a handler returns after it was abandoned, which goes nowhere (settled after
 * all, it would meet the fence);</li>
 * <li>a Redis that refuses some commands and not others, except as a script that stops
 * half-way;</li>
 * <li>a Redis that loses what it has accepted, and a clock that jumps.</li>
 * </ul>
 */
@NullMarked
package io.delayqueue.model;

import org.jspecify.annotations.NullMarked;
