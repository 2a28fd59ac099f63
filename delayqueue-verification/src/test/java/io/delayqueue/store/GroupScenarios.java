package io.delayqueue.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.delayqueue.queue.GroupSettings;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.Scenario.Given;
import io.delayqueue.store.Scenario.When;

import static io.delayqueue.store.GroupStates.COUNTING;
import static io.delayqueue.store.GroupStates.DUE;
import static io.delayqueue.store.GroupStates.FULL;
import static io.delayqueue.store.GroupStates.STRICT;
import static io.delayqueue.store.GroupStates.allDead;
import static io.delayqueue.store.GroupStates.alsoParked;
import static io.delayqueue.store.GroupStates.dead;
import static io.delayqueue.store.GroupStates.deadThatCounts;
import static io.delayqueue.store.GroupStates.message;
import static io.delayqueue.store.GroupStates.parked;
import static io.delayqueue.store.GroupStates.parkedWithoutHead;
import static io.delayqueue.store.GroupStates.pending;
import static io.delayqueue.store.GroupStates.pendingTwice;
import static io.delayqueue.store.GroupStates.ready;
import static io.delayqueue.store.GroupStates.scheduled;
import static io.delayqueue.store.GroupStates.scheduledFar;
import static io.delayqueue.store.Scenarios.of;
import static io.delayqueue.store.States.FAR;
import static io.delayqueue.store.States.alsoScheduled;
import static io.delayqueue.store.States.crashedTwice;
import static io.delayqueue.store.States.failedTwice;
import static io.delayqueue.store.States.ghost;
import static io.delayqueue.store.States.paused;

/**
 * Every writing call of the store in the states that messages with a group and an expiry
 * add.
 */
final class GroupScenarios {

	/** An expiry before now and after the due time of the messages. */
	private static final long SOON = 3_000;

	/** Four messages at a time may be ready or pending. */
	private static final GroupSettings FOUR = new GroupSettings(0, false, false, 4, null, null, Map.of());

	/** One call to reschedule. */
	private static final String MOVE = TestMessages.token(61);

	/** One call to discard or purge. */
	private static final int REMOVAL = 62;

	/** One call to redrive. */
	private static final int REDRIVE = 63;

	private GroupScenarios() {
	}

	static Stream<Scenario> all() {
		return Stream
			.of(GroupScheduleScenarios.all(), sweeping(), settling(), retrying(), reclaiming(), removing(), redriving(),
					rescheduling(), repairing())
			.flatMap((them) -> them);
	}

	private static Stream<Scenario> sweeping() {
		When sweep = (store, held) -> store.with(STRICT).sweep();
		When twice = (store, held) -> List.of(store.with(STRICT).sweep(), store.with(STRICT).sweep());
		return Stream.of(of("sweep: one of a group", scheduled("a"), sweep),
				of("sweep: three of a group at its limit", scheduled("a", "b", "c"), sweep),
				of("sweep: one of a group that keeps its slot", keepsItsSlot(), sweep),
				of("sweep: parked ones of a group that were not unparked", parkedWithoutHead("a", "b", "c"), twice),
				of("sweep: one of a group that must not overtake", parkedWithoutHead("a").andThen((partition, held) -> {
					partition.store().schedule(message("b", DUE + 1, 2));
					return held;
				}), twice), of("sweep: parked as well, of a group", alsoParked(scheduled("a", "b")), sweep),
				of("sweep: left over in parked, of a group", ghost(parkedWithoutHead("a")), twice),
				of("sweep: paused, parked", paused(parkedWithoutHead("a", "b")), sweep));
	}

	private static Stream<Scenario> settling() {
		When acknowledge = (store, held) -> store.acknowledge(held.toArray(Entry[]::new));
		When release = (store, held) -> store.release(DUE, held.toArray(Entry[]::new));
		When deadLetter = (store, held) -> store.deadLetter(held.get(0), "it broke");
		When countedDeath = (store, held) -> store.with(COUNTING).deadLetter(held.get(0), "it broke");
		return Stream.of(of("acknowledge: pending, of a group", failedTwice(pending("a", "b", "c")), acknowledge),
				of("acknowledge: parked as well, of a group", alsoParked(pending("a")), acknowledge),
				of("acknowledge: left over, of a group", ghost(pending("a", "b")), acknowledge),
				of("acknowledge: superseded and current, of a group", pendingTwice(), acknowledge),
				of("settle: release, pending, of a group", pending("a", "b"), release),
				of("settle: release, left over, of a group", ghost(pending("a", "b")), release),
				of("settle: release, superseded and current, of a group", pendingTwice(), release),
				of("settle: dead letter, pending, of a group", pending("a", "b", "c"), deadLetter),
				of("settle: dead letter, pending, of a group, and counts", pending("a", "b", "c"), countedDeath),
				of("settle: dead letter, left over, of a group", ghost(pending("a", "b")), deadLetter),
				of("settle: dead letter, superseded, of a group", pendingTwice(), deadLetter));
	}

	private static Stream<Scenario> retrying() {
		When keeps = (store, held) -> store.retry(held.get(0), Duration.ZERO, "it broke", true).each();
		When frees = (store, held) -> store.retry(held.get(0), TestStore.MAX_DELAY, "it broke", false).each();
		When mixed = (store, held) -> store.settleMixed(held).each();
		Given four = scheduled("a", "b", "c", "d", "e", "f", "g")
			.andThen((partition, held) -> partition.store().with(FOUR).take("holder"));
		return Stream.of(of("settle: retry, pending, of a group, with its slot", pending("a", "b"), keeps),
				of("settle: retry, pending, of a group, without its slot", expiring(FAR, pending("a", "b")), frees),
				of("settle: retry, pending, of a group, expires soon", expiring(SOON, pending("a", "b")),
						(store, held) -> store.retry(held.get(0), Duration.ofDays(1), null, true).each()),
				of("settle: retry, left over, of a group", ghost(pending("a", "b")), frees),
				of("settle: retry, superseded, of a group", pendingTwice(), frees),
				of("settle: each kind, of a group", four, mixed),
				of("settle: each kind, left over, of a group", ghost(four), mixed));
	}

	private static Stream<Scenario> reclaiming() {
		When reclaim = (store, held) -> store.reclaim().messages();
		When counting = (store, held) -> store.with(COUNTING).reclaim().messages();
		return Stream.of(of("reclaim: one of a group", pending("a", "b"), reclaim),
				of("reclaim: at the limit of crashes, of a group", crashedTwice(pending("a", "b", "c")), reclaim),
				of("reclaim: at the limit of crashes, of a group, and counts", crashedTwice(pending("a", "b")),
						counting),
				of("reclaim: left over, of a group", ghost(pending("a", "b")), reclaim),
				of("reclaim: superseded and current, of a group", pendingTwice(), reclaim));
	}

	private static Stream<Scenario> removing() {
		When cancel = (store, held) -> store.cancel("a", 60);
		When discard = (store, held) -> store.repeating(REMOVAL).discard("a");
		When purge = (store, held) -> store.repeating(REMOVAL).purge(false, "a", "b", "unknown");
		When all = (store, held) -> store.repeating(REMOVAL).purge(true, "a", "b", "unknown");
		When ofAnother = (store, held) -> store.repeating(REMOVAL).purgeGroup("another", "a", "b");
		return Stream.of(of("cancel: scheduled, of a group", failedTwice(scheduled("a", "b")), cancel),
				of("cancel: scheduled, with an expiry", expiring(FAR, States.scheduled("a")), cancel),
				of("cancel: parked, of a group", parked(), cancel),
				of("cancel: ready, of a group", ready("a", "b", "c"), cancel),
				of("cancel: pending, of a group", failedTwice(pending("a", "b", "c")), cancel),
				of("cancel: dead that counts, of a group", deadThatCounts(), cancel),
				of("cancel: parked and scheduled, of a group", alsoParked(scheduled("a")), cancel),
				of("cancel: left over in parked, of a group", ghost(parked()), cancel),
				of("cancel: left over in pending, of a group", ghost(pending("a", "b")), cancel),
				of("cancel: left over in dead, of a group", ghost(dead()), cancel),
				of("discard: dead, of a group", dead(), discard),
				of("discard: dead that counts, of a group", deadThatCounts(), discard),
				of("discard: dead and parked, of a group", alsoParked(dead()), discard),
				of("discard: left over, of a group", ghost(dead()), discard),
				of("purge: scheduled, of a group", failedTwice(scheduled("a", "b")), purge),
				of("purge: scheduled, with an expiry", expiring(FAR, States.scheduled("a")), purge),
				of("purge: parked, of a group", parked(), purge),
				of("purge: ready and parked, of a group", ready("a", "b", "c"), purge),
				of("purge: pending, of a group", failedTwice(pending("a", "b", "c")), purge),
				of("purge: dead, of a group", dead(), all),
				of("purge: dead that counts, of a group", deadThatCounts(), all),
				of("purge: left over in parked, of a group", ghost(parked()), purge),
				of("purge: left over in pending, of a group", ghost(pending("a", "b")), purge),
				of("purge: of another group", pending("a", "b"), ofAnother));
	}

	private static Stream<Scenario> redriving() {
		When redrive = (store, held) -> store.with(FULL).repeating(REDRIVE).redrive("a", "unknown");
		When three = (store, held) -> store.with(FULL).repeating(REDRIVE).redrive("a", "b", "c");
		return Stream.of(of("redrive: dead, of a group", dead(), redriven(redrive)),
				of("redrive: dead that counts, of a group", deadThatCounts(), redriven(redrive)),
				of("redrive: dead, of a full group", dead().andThen((partition, held) -> {
					scheduled("b", "c").prepare(partition);
					return held;
				}), redriven(redrive)), of("redrive: three, of a group with one free slot",
						allDead("a", "b", "c").andThen((partition, held) -> {
							scheduled("d").prepare(partition);
							return held;
						}), redriven(three)),
				of("redrive: left over, of a group", ghost(dead()), redriven(redrive)),
				of("redrive: scheduled as well, of a group", alsoScheduled(dead()), redriven(redrive)));
	}

	private static Stream<Scenario> rescheduling() {
		When later = (store, held) -> store.reschedule("a", DUE + 1, MOVE).moved();
		When earlier = (store, held) -> store.reschedule("a", DUE - 1, MOVE).moved();
		When far = (store, held) -> store.reschedule("a", FAR, MOVE).moved();
		return Stream.of(of("reschedule: scheduled, of a group, later", failedTwice(scheduled("a", "b")), later),
				of("reschedule: scheduled, of a group, earlier", scheduled("a", "b"), earlier),
				of("reschedule: scheduled far, of a group, nearer", scheduledFar("a"),
						(store, held) -> store.reschedule("a", FAR - 5, MOVE).moved()),
				of("reschedule: parked, of a group, later", parked(), later),
				of("reschedule: parked, of a group, earlier", parked(), earlier),
				of("reschedule: parked, of a group, far", parked(), far),
				of("reschedule: ready, of a group, earlier", ready("a", "b"), earlier),
				of("reschedule: ready, of a group, far", failedTwice(ready("a", "b")), far),
				of("reschedule: scheduled, of a group, with a fixed expiry", expiring(SOON, scheduled("a")), later),
				of("reschedule: scheduled, of a group, beyond a fixed expiry", expiring(SOON, scheduled("a")), far),
				of("reschedule: pending, of a group", pending("a", "b"), far));
	}

	private static Stream<Scenario> repairing() {
		When repair = (store, held) -> store.repair();
		return Stream.of(of("repair: in order, of a group", parked(), repair),
				of("repair: scheduled and parked, of a group", alsoParked(scheduled("a")), repair),
				of("repair: ready and parked, of a group", alsoParked(ready("a")), repair),
				of("repair: pending and parked, of a group", alsoParked(pending("a")), repair),
				of("repair: dead and parked, of a group", alsoParked(dead()), repair),
				of("repair: left over in scheduled, of a group", ghost(scheduled("a", "b")), repair),
				of("repair: left over in parked, of a group", ghost(parked()), repair),
				of("repair: left over in pending, of a group", ghost(pending("a", "b")), repair),
				of("repair: left over in dead, of a group", ghost(dead()), repair),
				of("repair: left over in members, of a group", scheduled("b").andThen((partition, held) -> {
					partition.command("ZADD", Key.GROUPS, "0", GroupDump.member("g", DUE - 1, "b"));
					return held;
				}), repair), of("repair: without its slot, of a group", scheduled("a").andThen((partition, held) -> {
					partition.command("ZREM", Key.GROUPS, GroupDump.member("g", DUE, "a"));
					return held;
				}), repair),
				of("repair: left over in expiries, of a group", scheduled("b").andThen((partition, held) -> {
					partition.command("ZADD", Key.EXPIRIES, "5000", "a");
					return held;
				}), repair));
	}

	private static When redriven(When redrive) {
		return (store, held) -> ((DeadLetters.Redriven) redrive.call(store, held)).redriven();
	}

	/** Retried with its active slot, which blocks its group. */
	private static Given keepsItsSlot() {
		return pending("a", "b").andThen((partition, held) -> {
			partition.store().release(DUE, held.get(0));
			return List.of();
		});
	}

	/** Has a fixed expiry. */
	static Given expiring(long millis, Given state) {
		return state.andThen((partition, held) -> {
			partition.command("ZADD", Key.EXPIRIES, Long.toString(millis), "a");
			return held;
		});
	}

}
