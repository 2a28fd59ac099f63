package io.delayqueue.store;

import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.RetryOverride;
import io.delayqueue.record.Envelope;
import io.delayqueue.store.Scenario.Given;
import io.delayqueue.store.Scenario.When;

import static io.delayqueue.store.GroupScenarios.expiring;
import static io.delayqueue.store.GroupStates.DROPPING;
import static io.delayqueue.store.GroupStates.DUE;
import static io.delayqueue.store.GroupStates.FULL;
import static io.delayqueue.store.GroupStates.STRICT;
import static io.delayqueue.store.GroupStates.dead;
import static io.delayqueue.store.GroupStates.deadThatCounts;
import static io.delayqueue.store.GroupStates.message;
import static io.delayqueue.store.GroupStates.parked;
import static io.delayqueue.store.GroupStates.pending;
import static io.delayqueue.store.GroupStates.ready;
import static io.delayqueue.store.GroupStates.scheduled;
import static io.delayqueue.store.GroupStates.scheduledFar;
import static io.delayqueue.store.Scenarios.of;
import static io.delayqueue.store.States.FAR;
import static io.delayqueue.store.States.alsoScheduled;
import static io.delayqueue.store.States.failedTwice;
import static io.delayqueue.store.States.ghost;
import static io.delayqueue.store.States.nothing;
import static io.delayqueue.store.States.windowsEnded;
import static io.delayqueue.store.States.withoutRecord;
import static io.delayqueue.store.TestMessages.made;

/**
 * Calls that schedule messages with a group or an expiry, and known ids again.
 */
final class GroupScheduleScenarios {

	/** The latest time to which a message may be postponed, as part of its record. */
	private static final long LATEST = 3_000;

	private GroupScheduleScenarios() {
	}

	static Stream<Scenario> all() {
		return Stream.of(scheduling(), dropping(), replacing(), postponing()).flatMap((them) -> them);
	}

	private static Stream<Scenario> scheduling() {
		When one = schedule(STRICT, message("a", DUE, 7));
		When three = schedule(STRICT, message("a", DUE, 7), message("b", FAR, 8), message("a", FAR, 9),
				TestMessages.message("c", FAR, 10));
		When generated = schedule(STRICT, made(message("a", DUE, 7)), made(message("b", FAR, 8)),
				made(message("c", DUE, 9)));
		When plain = schedule(STRICT, TestMessages.message("a", DUE, 7));
		return Stream.of(of("schedule: new, of a group", nothing(), one),
				of("schedule: several with generated ids, of a group", nothing(), generated),
				of("schedule: several with generated ids, of a group, one is parked", parked(), generated),
				of("schedule: several, of a group, one of them twice", nothing(), three),
				of("schedule: several, of a group, one is parked", parked(), three),
				of("schedule: several, of a full group", scheduled("x"),
						schedule(FULL, message("a", DUE, 7), message("b", DUE, 8))),
				of("schedule: left over in scheduled, of a group", ghost(scheduled("a")), one),
				of("schedule: left over in ready, of a group", ghost(ready("a", "b")), one),
				of("schedule: left over in pending, of a group", ghost(pending("a", "b")), one),
				of("schedule: left over in parked, of a group", ghost(parked()), one),
				of("schedule: left over in dead, of a group", ghost(dead()), one),
				of("schedule: left over in ready, with an expiry", ghost(expiring(FAR, States.ready("a"))), plain),
				of("schedule: left over in ready, with an expiry and no failure",
						withoutRecord("a", expiring(FAR, States.ready("a"))), plain));
	}

	private static Stream<Scenario> dropping() {
		When one = schedule(DROPPING, message("d", DUE, 7));
		return Stream.of(of("schedule: of a group that drops a scheduled one", failedTwice(scheduled("a", "b")), one),
				of("schedule: of a group that drops a parked one", parked(), one),
				of("schedule: windows ended, of a group that drops one", windowsEnded(scheduled("a", "b")), one),
				of("schedule: of a group that drops nothing that is pending", pending("a", "b"), one),
				of("schedule: of a group that drops a left-over", ghost(scheduled("a", "b")), one),
				of("schedule: of a group that drops two of more than its quota", scheduled("a", "b", "c", "e"), one),
				of("schedule: several, of a group that drops the first of them", scheduled("a", "b"),
						schedule(DROPPING, message("d", DUE, 7), message("e", DUE, 8), message("f", FAR, 9))));
	}

	private static Stream<Scenario> replacing() {
		When now = schedule(STRICT, replacing(message("a", DUE, 7)));
		When later = schedule(STRICT, replacing(message("a", DUE + 5, 7)));
		When far = schedule(STRICT, replacing(TestMessages.message("a", FAR, GroupStates.GROUP, 7)));
		When plain = schedule(STRICT, replacing(TestMessages.message("a", FAR, 7)));
		return Stream.of(of("schedule: scheduled, of a group, to be replaced", failedTwice(scheduled("a", "b")), later),
				of("schedule: scheduled far, of a group, to be replaced by a nearer one", scheduledFar("a"), now),
				of("schedule: parked, of a group, to be replaced", parked(), now),
				of("schedule: parked, of a group, to be replaced by a far one", parked(), far),
				of("schedule: ready, of a group, to be replaced", failedTwice(ready("a", "b")), now),
				of("schedule: ready, of a group, to be replaced by a far one", ready("a", "b"), far),
				of("schedule: ready and scheduled, of a group, to be replaced", alsoScheduled(ready("a")), far),
				of("schedule: pending, of a group, to be replaced", failedTwice(pending("a", "b")), later),
				of("schedule: pending, of a group, to be replaced by a far one", pending("a", "b"), far),
				of("schedule: dead, of a group, to be replaced", dead(), later),
				of("schedule: dead that counts, of a group, to be replaced", deadThatCounts(), far),
				of("schedule: scheduled, to be replaced", States.scheduled("a"), plain),
				of("schedule: windows ended, to be replaced", windowsEnded(States.scheduled("a")), plain),
				of("schedule: ready, to be replaced", failedTwice(States.ready("a")), plain),
				of("schedule: pending, to be replaced", failedTwice(States.pending("a")), plain),
				of("schedule: dead, to be replaced", States.dead(), plain));
	}

	private static Stream<Scenario> postponing() {
		When one = schedule(STRICT, TestMessages.onDuplicate(DuplicatePolicy.postpone(Duration.ofHours(1)),
				TestMessages.message("a", FAR, GroupStates.GROUP, 7)));
		return Stream.of(of("schedule: scheduled, of a group, to be postponed", postponable(scheduled("a")), one),
				of("schedule: parked, of a group, to be postponed", postponable(parked()), one),
				of("schedule: ready, of a group, to be postponed", postponable(failedTwice(ready("a"))), one),
				of("schedule: ready, of a group, to be postponed behind another one",
						postponable(failedTwice(ready("a", "b"))), one),
				of("schedule: dead, of a group, to be postponed", dead(), one));
	}

	private static When schedule(GroupSettings groups, NewMessage... messages) {
		return (store, held) -> store.with(groups).schedule(messages);
	}

	private static NewMessage replacing(NewMessage message) {
		return TestMessages.onDuplicate(DuplicatePolicy.replace(), message);
	}

	/** A message that can no longer be postponed. */
	private static Given postponable(Given state) {
		return state.andThen((partition, held) -> {
			Envelope envelope = new Envelope(TestMessages.token(1), true, GroupStates.GROUP, Map.of(),
					RetryOverride.NONE, null, Reply.bytes("postponed"));
			String latest = "%016d".formatted(LATEST);
			partition.command("HSET", Key.MESSAGES, "a", "1%016d%s".formatted(DUE, Reply.text(envelope.toBytes())
				.replace("\"latest\":\"" + "0".repeat(16), "\"latest\":\"" + latest)));
			return held;
		});
	}

}
