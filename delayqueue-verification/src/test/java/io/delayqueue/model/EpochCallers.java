package io.delayqueue.model;

import io.delayqueue.model.EpochCall.Kind;
import io.delayqueue.model.EpochCall.Phase;
import io.delayqueue.model.EpochScope.Setting;
import io.delayqueue.model.EpochScripts.Result;
import org.jspecify.annotations.Nullable;

/**
 * The callers: {@code OutgoingMessage.first} and {@code next}, {@code Sender.next},
 * {@code RetryingCalls.call} and {@code QueueDirectory.refreshFrom}. A call may wait for
 * any time before each of its requests, which includes every process with a stale view. A
 * request may run and remain unanswered, so that the call sends it again, and a copy of
 * it may arrive at any later time.
 */
final class EpochCallers {

	private final EpochScope scope;

	private final EpochScripts scripts;

	EpochCallers(EpochScope scope) {
		this.scope = scope;
		this.scripts = new EpochScripts(scope);
	}

	void from(State state, Steps steps) {
		int begun = EpochPart.CALLS.of(state);
		if (begun < this.scope.calls()) {
			// The ids of a group are alike, so the first call is about the first one
			for (int id = 0; id < ((begun == 0) ? 1 : this.scope.ids()); id++) {
				begin(state, begun, id, steps);
			}
		}
		for (int number = 0; number < begun; number++) {
			EpochCall call = EpochCall.of(state, number);
			if (call.phase() == Phase.ASKING) {
				ask(state, number, call, steps);
			}
			else if (call.phase() == Phase.FOLLOWING) {
				follow(state, number, call, steps);
			}
		}
		copy(state, steps);
	}

	private void begin(State state, int number, int id, Steps steps) {
		if (this.scope.has(Setting.GENERATED) && number > 0 && EpochPart.STORED.of(state) == 0) {
			return;
		}
		begin(state, number, id, EpochPart.usable(state), steps);
		if (this.scope.has(Setting.GENERATED) && number > 0 && EpochPart.usable(state) != 1) {
			begin(state, number, id, 1, steps);
		}
	}

	private void begin(State state, int number, int id, int view, Steps steps) {
		for (Kind kind : this.scope.kinds(number)) {
			boolean newestFirst = kind == Kind.NEW || this.scope.has(EpochMutation.NEWEST_FIRST);
			int place = (kind == Kind.OLD) ? 0 : newestFirst ? EpochPart.newest(view) : EpochPart.oldest(view);
			boolean stored = kind == Kind.CANCEL && isStored(state, id);
			EpochCall call = new EpochCall(kind, Phase.ASKING, id, place, view, stored);
			steps.add(() -> words(number, call) + " begins", EpochPart.CALLS.counted(call.in(state, number)),
					Steps.Kind.USER, null);
		}
	}

	private static boolean isStored(State state, int id) {
		for (int place = 0; place < EpochKey.PLACES; place++) {
			int record = EpochKey.RECORD.of(state, place, id);
			if (record != 0 && !EpochPart.FINISHED.has(state, 1 << record - 1)) {
				return true;
			}
		}
		return false;
	}

	private void ask(State state, int number, EpochCall call, Steps steps) {
		Result result = this.scripts.run(state, number, call);
		State after = result.after();
		if (result.answer() == Answer.CARRYING) {
			return;
		}
		boolean faulty = EpochPart.FAULTS.of(state) < this.scope.bounds().faults();
		if (faulty && !after.equals(state)) {
			steps.add(() -> words(number, call, result) + " (answer lost)", EpochPart.FAULTS.counted(after),
					Steps.Kind.FAULT, null);
		}
		State answered = answered(after, number, call, result.answer());
		Property broken = (isNone(result.answer()) && !EpochCall.of(answered, number).isOpen() && call.stored())
				? Property.P7 : null;
		steps.add(() -> words(number, call, result), answered, Steps.Kind.SYSTEM, broken);
		if (faulty && EpochPart.COPY.of(state) == 0 && call.kind() != Kind.CANCEL) {
			int copy = number + 1 | call.place() << 2 | (call.knowsNewer() ? 1 << 4 : 0);
			steps.add(() -> words(number, call, result) + " (a copy is still on its way)",
					EpochPart.FAULTS.counted(EpochPart.COPY.set(answered, copy)), Steps.Kind.FAULT, null);
		}
		int usable = EpochPart.usable(state);
		if ((usable >> call.place() & 1) == 0 && call.kind() != Kind.OLD) {
			steps.add(() -> words(number, call) + " reads that its epoch has ended",
					call.knows(usable).asks(EpochPart.oldest(usable)).in(state, number), Steps.Kind.SYSTEM, null);
		}
	}

	private static boolean isNone(Answer answer) {
		return answer == Answer.NONE || answer == Answer.ELSEWHERE;
	}

	/** The call after an answer. */
	private State answered(State after, int number, EpochCall call, Answer answer) {
		int newer = call.view() >> call.place() + 1 << call.place() + 1;
		if (this.scope.has(EpochMutation.NEWEST_FIRST)) {
			return call.over().in(after, number);
		}
		if (answer == Answer.ELSEWHERE || (answer == Answer.NONE && newer != 0)) {
			EpochCall next = (newer != 0) ? call.asks(EpochPart.oldest(newer)) : call.follows();
			return next.in(after, number);
		}
		return call.over().in(after, number);
	}

	/** Reads the epochs after the newest known place has answered "elsewhere". */
	private void follow(State state, int number, EpochCall call, Steps steps) {
		// A closed partition before an announced epoch: the message belongs there already
		boolean isNewest = call.place() == EpochPart.current(state);
		int usable = isNewest ? EpochPart.consumed(state) : EpochPart.usable(state);
		int newer = usable >> call.place() + 1 << call.place() + 1;
		boolean isKnown = (usable >> call.place() & 1) != 0;
		EpochCall next;
		@Nullable Property broken = null;
		if (call.kind() != Kind.CANCEL && !isKnown) {
			next = call.knows(usable).asks(EpochPart.oldest(usable));
		}
		else if (newer != 0) {
			next = call.knows(usable).asks(EpochPart.oldest(newer));
		}
		else if (call.kind() == Kind.CANCEL) {
			next = call.over();
			broken = call.stored() ? Property.P7 : null;
		}
		else {
			next = call.asks(call.place());
		}
		steps.add(() -> words(number, call) + " reads the epochs", next.in(state, number), Steps.Kind.SYSTEM, broken);
	}

	private void copy(State state, Steps steps) {
		int copy = EpochPart.COPY.of(state);
		if (copy == 0) {
			return;
		}
		int number = (copy & 3) - 1;
		int place = copy >> 2 & 3;
		EpochCall sent = EpochCall.of(state, number);
		EpochCall call = new EpochCall(sent.kind(), Phase.ASKING, sent.id(), place,
				((copy & 1 << 4) != 0) ? 1 << place + 1 : 0, false);
		Result result = this.scripts.run(state, number, call);
		steps.add(() -> "late copy of " + words(number, call, result), EpochPart.COPY.set(result.after(), 0),
				Steps.Kind.SYSTEM, null);
	}

	private static String words(int number, EpochCall call) {
		return "call " + (number + 1) + ", " + call.words();
	}

	private static String words(int number, EpochCall call, Result result) {
		return words(number, call) + " in epoch " + call.place() + ": " + result.answer().words();
	}

}
