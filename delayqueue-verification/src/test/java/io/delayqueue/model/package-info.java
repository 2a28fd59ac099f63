/**
 * A breadth-first check of the change of a partition count, which is a protocol of many
 * calls of several processes to several partitions. All reachable states are visited, so
 * a property that holds here holds for every order of events within a scope: any process
 * may be delayed for any time before each of its requests. The scripts themselves are
 * checked by {@code StoreSequencesIntegrationTests}, and together with the processes by
 * {@code GrowthSequencesIntegrationTests}, in which no step falls between two requests of
 * a call.
 *
 * <p>
 * Reading order:
 * <ol>
 * <li>{@link io.delayqueue.model.EpochScripts}, {@link io.delayqueue.model.EpochCallers},
 * {@link io.delayqueue.model.EpochCarrying}, {@link io.delayqueue.model.EpochServer}: the
 * scripts and their callers;</li>
 * <li>{@link io.delayqueue.model.Property}: the properties that must hold;</li>
 * <li>{@link io.delayqueue.model.EpochMutation}: the design with one fault each. The
 * check must detect every fault, or it proves nothing;</li>
 * <li>{@link io.delayqueue.model.State} to {@link io.delayqueue.model.Exploration}: the
 * search.</li>
 * </ol>
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
 * Not modelled: a carrying that is resumed only after its trace has ended, which stores
 * dead letters again that have ended since; {@code lay-out.lua}, which copies switches;
 * the order of the writes of a script, except of those that carry dead letters.
 */
@NullMarked
package io.delayqueue.model;

import org.jspecify.annotations.NullMarked;
