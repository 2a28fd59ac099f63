/**
 * A breadth-first check of the state machine. All reachable states are visited, so a
 * property that holds here holds for every order of events within a scope. There are four
 * models. {@link io.delayqueue.model.MessageModel} covers one message id in several
 * generations, with two consumers, callers that repeat unanswered calls, and every
 * failure at every point. {@link io.delayqueue.model.GroupModel} covers two or three ids
 * of one group and what they share: the quota, the limit, parking, dropping of the oldest
 * message, and the order. {@link io.delayqueue.model.EpochModel} covers one id, or a
 * group of two or three ids, in two or three epochs, while the partition count changes.
 * {@link io.delayqueue.model.HoldModel} covers holds of a queue and of a group.
 *
 * <p>
 * Reading order:
 * <ol>
 * <li>{@link io.delayqueue.model.ScheduleScripts},
 * {@link io.delayqueue.model.CancelScript}, {@link io.delayqueue.model.SweepScripts},
 * {@link io.delayqueue.model.SettlementScripts},
 * {@link io.delayqueue.model.DeadLetterScripts},
 * {@link io.delayqueue.model.RepairScript}: each script of the library as a method that
 * lists its writes in order;</li>
 * <li>{@link io.delayqueue.model.CallerSteps},
 * {@link io.delayqueue.model.RememberedCallSteps},
 * {@link io.delayqueue.model.ConsumerSteps}, {@link io.delayqueue.model.ServerSteps}: the
 * callers of the scripts, and how they process the answers;</li>
 * <li>{@link io.delayqueue.model.GroupSlots},
 * {@link io.delayqueue.model.GroupScheduling}, {@link io.delayqueue.model.GroupSweep},
 * {@link io.delayqueue.model.GroupSettling}, {@link io.delayqueue.model.GroupUpkeep}, and
 * {@link io.delayqueue.model.GroupCallers}, {@link io.delayqueue.model.GroupConsumers},
 * {@link io.delayqueue.model.GroupServer}: the same for a group;</li>
 * <li>{@link io.delayqueue.model.EpochScripts}, {@link io.delayqueue.model.EpochCallers},
 * {@link io.delayqueue.model.EpochCarrying}, {@link io.delayqueue.model.EpochServer}: the
 * same for a change of the partition count;</li>
 * <li>{@link io.delayqueue.model.Property}: the properties that must hold;</li>
 * <li>{@link io.delayqueue.model.Mutation}, {@link io.delayqueue.model.GroupMutation},
 * {@link io.delayqueue.model.EpochMutation} and {@link io.delayqueue.model.HoldMutation}:
 * the design with one fault each. The check must detect every fault, or it proves
 * nothing;</li>
 * <li>{@link io.delayqueue.model.State} to {@link io.delayqueue.model.Exploration}: the
 * search.</li>
 * </ol>
 *
 * <p>
 * Modelled operations: schedule with the policies "keep", "replace" and "postpone",
 * reschedule, cancel, sweep, park and unpark, XREADGROUP and the two reads after it (one
 * script today), an expiry that a consumer finds, the handler, acknowledge, retry,
 * dead-letter, release, reclaim, redrive, discard, repair. Modelled rules: quotas that
 * reject a message or drop the oldest, dead letters that count towards a quota or do not,
 * call tokens, tombstones, the stored answers of cancel, redrive and discard, and the
 * windows of all of them. Modelled failures: a script stops after any single write; an
 * answer or a request is lost; a copy of a request arrives after its answer; a consumer
 * dies, freezes and wakes up. No message is reclaimed from a consumer whose process is
 * alive and handles the entry: this models the heartbeat. A consumer starts nothing after
 * a freeze: this models the lease guard. In the model of one id a handler may hang: it is
 * abandoned, and its lease is kept until the message is settled. Redis may refuse all
 * writes for longer than a visibility timeout: refused commands are repeated, and nothing
 * is reclaimed before the heartbeats that follow.
 *
 * <p>
 * Guarantees of a group:
 * <ul>
 * <li>Its quota is never exceeded, except by one for each script that stopped
 * half-way.</li>
 * <li>The number of ready and pending messages never exceeds its limit, not counting
 * messages whose record was cancelled or replaced while a consumer had them. After a
 * script has stopped half-way, or a consumer was frozen until its message was reclaimed,
 * the number of messages that are ready or being handled never exceeds the limit.</li>
 * <li>In a strict group no message becomes ready before an earlier one that is due, waits
 * for its retry, or is ready or pending, unless a replace or a reschedule of one of the
 * two stopped half-way.</li>
 * <li>After repair, and without a stopped script even before, the members of the group
 * are its living messages, and sweeps alone unpark messages as soon as a slot is
 * free.</li>
 * </ul>
 *
 * <p>
 * Guarantees of a change of the partition count, in every order of the calls and of the
 * steps of the change, with any delay of each:
 * <ul>
 * <li>No message is lost, and none is handled twice.</li>
 * <li>An id is stored once. A dead letter that is being carried may also be in an older
 * epoch, which does not deliver it.</li>
 * <li>Messages of a group are delivered from one epoch, and never exceed its quota.</li>
 * <li>A cancel finds every message that is stored while the call runs.</li>
 * <li>An older epoch ends by itself, after repair if a script has stopped half-way, and
 * only once it holds nothing and no window is open.</li>
 * </ul>
 *
 * <p>
 * Guarantees of holds, in every order of holds, releases and scripts that stop half-way:
 * <ul>
 * <li>No message is handed over from the answer to a hold on until its end or until a
 * release of it begins. What a read marks is given back.</li>
 * <li>All messages are handed over afterwards; sweeps alone unpark them at once.</li>
 * </ul>
 *
 * <p>
 * Which step of the model of epochs stands for which write:
 * <ul>
 * <li>{@code close.lua}: "is closed", and the first part of every schedule call and of
 * every copy that knows a newer epoch; {@code close.lua} without an epoch: "is
 * prepared";</li>
 * <li>{@code change-epochs.lua}: "is announced", "is current", "has ended", with
 * {@code remaining.lua} before the last one;</li>
 * <li>{@code carry-out.lua}: "is read", and "finds nothing to carry";
 * {@code carry-in.lua}: "is copied", the record and its trace in one write;
 * {@code carried.lua}: "is removed", with the mark of a partition that is empty.</li>
 * </ul>
 *
 * <p>
 * Weaker guarantees, only after a script has stopped half-way:
 * <ul>
 * <li>a handler may still start after "cancelled" when a replace stopped after it had
 * removed the fence;</li>
 * <li>a repeated call may return "cancelled" for a message that has been handled;</li>
 * <li>a repeated discard may report a message as removed that was redriven before the
 * repeat, and a repeated redrive may report nothing if another call has finished its
 * first run;</li>
 * <li>a swept message may be delivered again while its consumer lives;</li>
 * <li>a replaced message may lack its expiry if it became ready before the call was
 * repeated, and may wait for the due time of a replace that is not repeated;</li>
 * <li>a failed message whose reschedule stopped may keep its slot in a strict group until
 * it is due;</li>
 * <li>leftovers stay until repair or the next schedule clears them.</li>
 * </ul>
 *
 * <p>
 * Not modelled:
 * <ul>
 * <li>members, turns and owners: in the model every process may sweep, read, reclaim and
 * repair at any time, which includes every order that turns and owners allow, and two
 * owners or none;</li>
 * <li>batches: apart from the slots of a group no decision about one id reads a key of
 * another, and each id gets its writes in the order listed here. A batch is therefore,
 * for each of its ids, one of these runs. Sweeps of a group are modelled as batches;
 * several messages of one group in one schedule call are not;</li>
 * <li>more than one group, weights, and limits that change;</li>
 * <li>in epochs: a carrying that is resumed only after its trace has ended, which stores
 * dead letters again that have ended since. {@code lay-out.lua}, which copies
 * switches;</li>
 * <li>the policy "fail", which writes the same as "keep"; the bound of postpone, which is
 * arithmetic; defer, which is a retry; pause, drain and purge, the janitor;</li>
 * <li>real time: the clock has three values, or two in a group. A retry is due at once,
 * or in a group after any wait. A window ends at any time that is not ruled out. A copy
 * of a request that arrives after the window of its tombstone is not recognised;</li>
 * <li>for one id, a stored answer of reschedule: a reschedule that is repeated after its
 * message was cancelled and scheduled anew moves the new message;</li>
 * <li>permits, threads and back-offs, and so whether one message or settlement delays
 * another: the soak checks that;</li>
 * <li>the result of a handler that was abandoned, which is discarded (a settlement of it
 * would fail the fence check);</li>
 * <li>a Redis that refuses some commands and not others, except as a script that stops
 * half-way;</li>
 * <li>a Redis that loses accepted writes, and a clock that jumps.</li>
 * </ul>
 */
@NullMarked
package io.delayqueue.model;

import org.jspecify.annotations.NullMarked;
