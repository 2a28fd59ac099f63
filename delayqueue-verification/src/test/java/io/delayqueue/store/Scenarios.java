package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.Scenario.Given;
import io.delayqueue.store.Scenario.When;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static io.delayqueue.store.States.alsoDead;
import static io.delayqueue.store.States.alsoScheduled;
import static io.delayqueue.store.States.alsoScheduledFar;
import static io.delayqueue.store.States.crashedTwice;
import static io.delayqueue.store.States.dead;
import static io.delayqueue.store.States.draining;
import static io.delayqueue.store.States.entryDeleted;
import static io.delayqueue.store.States.failedTwice;
import static io.delayqueue.store.States.finished;
import static io.delayqueue.store.States.ghost;
import static io.delayqueue.store.States.held;
import static io.delayqueue.store.States.nothing;
import static io.delayqueue.store.States.paused;
import static io.delayqueue.store.States.pending;
import static io.delayqueue.store.States.pendingTwice;
import static io.delayqueue.store.States.ready;
import static io.delayqueue.store.States.replacedWhilePending;
import static io.delayqueue.store.States.scheduled;
import static io.delayqueue.store.States.windowsEnded;
import static io.delayqueue.store.TestMessages.made;
import static io.delayqueue.store.TestMessages.message;

/**
 * Every writing call of the store in every relevant state.
 */
final class Scenarios {

	/** One call to reschedule. */
	private static final String MOVE = TestMessages.token(61);

	/** One call to discard or purge. */
	private static final int REMOVAL = 62;

	/** One call to redrive. */
	private static final int REDRIVE = 63;

	/** When a dead letter died that is edited, ms since 1970. */
	private static final long DEATH = 3000;

	private Scenarios() {
	}

	static Stream<Scenario> all() {
		return Stream
			.of(scheduling(), GeneratedIdScenarios.all(), sweeping(), settling(), retrying(), reclaiming(), redriving(),
					discarding(), purgeService(), ControlScenarios.all(), cancelling(), rescheduling(), repairing(),
					GroupScenarios.all())
			.flatMap((them) -> them);
	}

	/**
	 * All scenarios and those with reads, whose repeat takes other messages.
	 */
	static Stream<Scenario> withReads() {
		return Stream.concat(all(), reading());
	}

	private static Stream<Scenario> scheduling() {
		When one = (store, held) -> store.schedule(message("a", DUE, 7));
		When three = (store, held) -> store.schedule(message("a", DUE, 7), message("b", FAR, 8), message("a", FAR, 9),
				message("c", DUE, 10));
		return Stream.of(of("schedule: new", nothing(), one),
				of("schedule: several, one of them twice", nothing(), three),
				of("schedule: several, one is ready", ready("a"), three),
				of("schedule: scheduled", scheduled("a"), one), of("schedule: pending", pending("a"), one),
				of("schedule: dead", dead(), one), of("schedule: finished", finished(), one),
				of("schedule: left over in scheduled", ghost(scheduled("a")), one),
				of("schedule: left over in ready", ghost(ready("a")), one),
				of("schedule: left over in pending", ghost(pending("a")), one),
				of("schedule: left over in pending and scheduled", ghost(alsoScheduled(pending("a"))), one),
				of("schedule: left over in dead", ghost(dead()), one),
				of("schedule: several, one left over in ready", ghost(ready("a")), three),
				of("schedule: draining", draining(nothing()), one),
				of("schedule: draining, several, one is ready", draining(ready("a")), three),
				of("schedule: draining, left over in ready", draining(ghost(ready("a"))), three));
	}

	private static Stream<Scenario> sweeping() {
		When sweep = (store, held) -> store.sweep();
		return Stream.of(of("sweep: nothing", nothing(), sweep), of("sweep: one", scheduled("a"), sweep),
				of("sweep: three", scheduled("a", "b", "c"), sweep),
				of("sweep: windows ended", windowsEnded(scheduled("a", "b")), sweep),
				of("sweep: windows ended, paused", paused(windowsEnded(scheduled("a"))), sweep),
				of("sweep: windows ended, held", held(windowsEnded(scheduled("a"))), sweep),
				of("sweep: left over in scheduled", ghost(scheduled("a")), sweep),
				of("sweep: ready as well", alsoScheduled(ready("a")), sweep),
				of("sweep: pending as well", alsoScheduled(pending("a", "b")), sweep));
	}

	private static Stream<Scenario> reading() {
		When read = (store, held) -> store.read("holder");
		return Stream.of(
				of("read: no reader before", ready("a"), read), of("read: several",
						pending("a").andThen((partition, held) -> ready("b", "c").prepare(partition)), read),
				of("read: left over", ghost(ready("a", "b")), read));
	}

	private static Stream<Scenario> settling() {
		When acknowledge = (store, held) -> store.acknowledge(held.toArray(Entry[]::new));
		When release = (store, held) -> store.release(DUE, held.toArray(Entry[]::new));
		When deadLetter = (store, held) -> store.deadLetter(held.get(0), "it broke");
		return Stream.of(of("acknowledge: pending", pending("a"), acknowledge),
				of("acknowledge: failed before", failedTwice(pending("a")), acknowledge),
				of("acknowledge: three", failedTwice(pending("a", "b", "c")), acknowledge),
				of("acknowledge: many", pending(many()), acknowledge),
				of("acknowledge: many, but not the fourth", pending(many()), (store, held) -> {
					List<Entry> handled = new ArrayList<>(held);
					handled.remove(3);
					return store.acknowledge(handled.toArray(Entry[]::new));
				}), of("acknowledge: many, left over", ghost(pending(many())), acknowledge),
				of("acknowledge: left over", ghost(pending("a", "b")), acknowledge),
				of("acknowledge: scheduled as well", alsoScheduled(pending("a")), acknowledge),
				of("acknowledge: dead as well", alsoDead(pending("a")), acknowledge),
				of("acknowledge: superseded", replacedWhilePending(), acknowledge),
				of("acknowledge: superseded and current", pendingTwice(), acknowledge),
				of("settle: release, pending", pending("a"), release),
				of("settle: release, failed before", failedTwice(pending("a")), release),
				of("settle: release, three", failedTwice(pending("a", "b", "c")), release),
				of("settle: release, left over", ghost(pending("a", "b")), release),
				of("settle: release, scheduled as well", alsoScheduled(pending("a")), release),
				of("settle: release, dead as well", alsoDead(pending("a")), release),
				of("settle: release, superseded", replacedWhilePending(), release),
				of("settle: release, superseded and current", pendingTwice(), release),
				of("settle: dead letter, pending", pending("a"), deadLetter),
				of("settle: dead letter, failed before", failedTwice(pending("a")), deadLetter),
				of("settle: dead letter, left over", ghost(pending("a")), deadLetter),
				of("settle: dead letter, dead as well", alsoDead(pending("a")), deadLetter),
				of("settle: dead letter, superseded", replacedWhilePending(), deadLetter),
				of("settle: dead letter, superseded while another is pending", pendingTwice(), deadLetter));
	}

	/** So many ids that an acknowledgement trims the stream. */
	private static String[] many() {
		return "abcdefghijkl".split("");
	}

	private static Stream<Scenario> retrying() {
		When fail = (store, held) -> store.retry(held.get(0), "it broke");
		When defer = (store, held) -> store.retry(held.get(0), null);
		When mixed = (store, held) -> store.settleMixed(held).each();
		return Stream.of(of("settle: retry, pending", pending("a"), fail),
				of("settle: retry, failed before", failedTwice(pending("a", "b")), fail),
				of("settle: retry, deferred", failedTwice(pending("a")), defer),
				of("settle: retry, left over", ghost(pending("a")), fail),
				of("settle: retry, scheduled as well", alsoScheduled(pending("a")), fail),
				of("settle: retry, dead as well", alsoDead(pending("a")), fail),
				of("settle: retry, superseded", replacedWhilePending(), fail),
				of("settle: retry, superseded while another is pending", pendingTwice(), defer),
				of("settle: each kind", failedTwice(pending("a", "b", "c", "d")), mixed),
				of("settle: each kind, left over", ghost(pending("a", "b", "c", "d")), mixed));
	}

	private static Stream<Scenario> reclaiming() {
		When reclaim = (store, held) -> store.reclaim().messages();
		return Stream.of(of("reclaim: nothing", scheduled("a"), reclaim), of("reclaim: no group", ready("a"), reclaim),
				of("reclaim: one", pending("a"), reclaim),
				of("reclaim: three", failedTwice(pending("a", "b", "c")), reclaim),
				of("reclaim: at the limit of crashes", crashedTwice(pending("a", "b")), reclaim),
				of("reclaim: left over", ghost(pending("a", "b")), reclaim),
				of("reclaim: scheduled as well", alsoScheduled(pending("a")), reclaim),
				of("reclaim: scheduled for later as well, at the limit of crashes",
						alsoScheduledFar(crashedTwice(pending("a"))), reclaim),
				of("reclaim: dead as well", alsoDead(pending("a")), reclaim),
				of("reclaim: superseded", replacedWhilePending(), reclaim),
				of("reclaim: superseded and current", pendingTwice(), reclaim),
				of("reclaim: superseded and out of the stream", entryDeleted(replacedWhilePending()), reclaim),
				of("reclaim: cancelled", pending("a", "b").andThen((partition, held) -> {
					partition.store().cancel("a", 50);
					return held;
				}), reclaim));
	}

	private static Stream<Scenario> redriving() {
		When redrive = (store, held) -> store.repeating(REDRIVE).redrive("a", "unknown").redriven();
		When edit = (store, held) -> store.repeating(REDRIVE).edit(DEATH).redriven();
		return Stream.of(of("redrive: dead, edited", diedAtDeath(dead()), edit),
				of("redrive: scheduled as well, edited", diedAtDeath(alsoScheduled(dead())), edit),
				of("redrive: died again, edited", dead(), edit),
				of("redrive: scheduled, edited", failedTwice(scheduled("a")), edit),
				of("redrive: dead", dead(), redrive), of("redrive: left over", ghost(dead()), redrive),
				of("redrive: scheduled as well", alsoScheduled(dead()), redrive),
				of("redrive: pending as well", alsoDead(pending("a")), redrive),
				of("redrive: scheduled", failedTwice(scheduled("a")), redrive));
	}

	private static Given diedAtDeath(Given given) {
		return given.andThen((partition, held) -> {
			partition.command("ZADD", Key.DEAD, Long.toString(DEATH), "a");
			return held;
		});
	}

	private static Stream<Scenario> discarding() {
		When discard = (store, held) -> store.repeating(REMOVAL).discard("a", "unknown");
		return Stream.of(of("discard: dead", dead(), discard), of("discard: left over", ghost(dead()), discard),
				of("discard: scheduled as well", alsoScheduled(dead()), discard),
				of("discard: pending as well", alsoDead(pending("a")), discard));
	}

	private static Stream<Scenario> purgeService() {
		When purge = (store, held) -> store.repeating(REMOVAL).purge(false, "a", "b", "c", "unknown");
		When all = (store, held) -> store.repeating(REMOVAL).purge(true, "a", "b", "c", "unknown");
		return Stream.of(of("purge: nothing", nothing(), purge),
				of("purge: scheduled", failedTwice(scheduled("a", "b", "c")), purge),
				of("purge: ready", failedTwice(ready("a", "b")), purge),
				of("purge: pending", failedTwice(pending("a", "b")), purge),
				of("purge: ready, pending, scheduled", pending("a").andThen((partition, held) -> {
					ready("b").prepare(partition);
					scheduled("c").prepare(partition);
					return held;
				}), purge), of("purge: ready and scheduled", alsoScheduled(ready("a")), purge),
				of("purge: pending and scheduled", alsoScheduled(pending("a")), purge),
				of("purge: pending and dead", alsoDead(pending("a")), purge),
				of("purge: scheduled and dead", alsoScheduled(dead()), purge),
				of("purge: pending twice", pendingTwice(), purge), of("purge: dead, not requested", dead(), purge),
				of("purge: dead, requested", dead(), all),
				of("purge: left over in scheduled", ghost(scheduled("a")), purge),
				of("purge: left over in ready", ghost(ready("a")), purge),
				of("purge: left over in pending", ghost(pending("a")), purge),
				of("purge: left over in dead", ghost(dead()), all));
	}

	private static Stream<Scenario> cancelling() {
		When cancel = (store, held) -> store.cancel("a", 60);
		return Stream.of(of("cancel: unknown", nothing(), cancel), of("cancel: scheduled", scheduled("a", "b"), cancel),
				of("cancel: ready", failedTwice(ready("a", "b")), cancel),
				of("cancel: ready and scheduled", alsoScheduled(ready("a")), cancel),
				of("cancel: pending", failedTwice(pending("a", "b")), cancel),
				of("cancel: pending and scheduled", alsoScheduled(pending("a")), cancel),
				of("cancel: pending and dead", alsoDead(pending("a")), cancel),
				of("cancel: scheduled and dead", alsoScheduled(dead()), cancel),
				of("cancel: pending twice", pendingTwice(), cancel), of("cancel: dead", dead(), cancel),
				of("cancel: finished", finished(), cancel),
				of("cancel: left over in scheduled", ghost(scheduled("a")), cancel),
				of("cancel: left over in ready", ghost(ready("a")), cancel),
				of("cancel: left over in pending", ghost(pending("a")), cancel),
				of("cancel: left over in dead", ghost(dead()), cancel));
	}

	private static Stream<Scenario> rescheduling() {
		When later = (store, held) -> store.reschedule("a", DUE + 1, MOVE).moved();
		When earlier = (store, held) -> store.reschedule("a", DUE - 1, MOVE).moved();
		When farther = (store, held) -> store.reschedule("a", FAR, MOVE).moved();
		return Stream.of(of("reschedule: unknown", nothing(), later),
				of("reschedule: scheduled, later", scheduled("a", "b"), later),
				of("reschedule: scheduled, earlier", scheduled("a", "b"), earlier),
				of("reschedule: scheduled, far", failedTwice(scheduled("a")), farther),
				of("reschedule: scheduled far, farther", scheduledFar(),
						(store, held) -> store.reschedule("a", FAR + 5, MOVE).moved()),
				of("reschedule: scheduled far, nearer", scheduledFar(),
						(store, held) -> store.reschedule("a", FAR - 5, MOVE).moved()),
				of("reschedule: ready, later", ready("a", "b"), later),
				of("reschedule: ready, earlier", ready("a"), earlier),
				of("reschedule: ready, far", failedTwice(ready("a")), farther),
				of("reschedule: ready and scheduled, far", alsoScheduled(ready("a")), farther),
				of("reschedule: ready and scheduled, earlier", alsoScheduled(ready("a")), earlier),
				of("reschedule: scheduled and dead", alsoScheduled(dead()), farther),
				of("reschedule: scheduled and dead, earlier", alsoScheduled(dead()), earlier),
				of("reschedule: pending", pending("a"), farther), of("reschedule: dead", dead(), farther));
	}

	/**
	 * States without damage; {@link RepairIntegrationTests} tests damage from outside.
	 */
	private static Stream<Scenario> repairing() {
		When repair = (store, held) -> store.repair();
		return Stream.of(of("repair: nothing", nothing(), repair),
				of("repair: in order", pending("a").andThen((partition, held) -> scheduled("b").prepare(partition)),
						repair),
				of("repair: ready and scheduled", alsoScheduled(ready("a", "b")), repair),
				of("repair: ready and dead", alsoDead(ready("a")), repair),
				of("repair: pending and scheduled", alsoScheduled(failedTwice(pending("a", "b"))), repair),
				of("repair: pending and dead", alsoDead(pending("a")), repair),
				of("repair: scheduled and dead", alsoScheduled(dead()), repair),
				of("repair: superseded and current", pendingTwice(), repair),
				of("repair: left over in scheduled", ghost(scheduled("a", "b")), repair),
				of("repair: left over in ready", ghost(ready("a")), repair),
				of("repair: left over in pending", ghost(pending("a")), repair),
				of("repair: left over in pending and scheduled", ghost(alsoScheduled(pending("a"))), repair),
				of("repair: left over in dead", ghost(dead()), repair),
				of("repair: left over in failures", failedTwice(nothing()), repair));
	}

	private static Given scheduledFar() {
		return scheduled("b").andThen((partition, held) -> {
			partition.store().schedule("a", FAR, 1);
			return held;
		});
	}

	static Scenario of(String name, Given given, When when) {
		return new Scenario(name, (partition) -> {
			partition.store().schedule(made(message("bystander", FAR, 99)));
			return given.prepare(partition);
		}, when);
	}

}
