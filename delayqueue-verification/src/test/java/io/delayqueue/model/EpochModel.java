package io.delayqueue.model;

import java.util.List;

import io.delayqueue.model.EpochCall.Phase;
import io.delayqueue.model.EpochScope.Setting;
import org.jspecify.annotations.Nullable;

/**
 * A queue whose partition count changes: one routing key, which is an id without a group,
 * or a group, in its partition of each epoch.
 * <ul>
 * <li>Every call, and every step of the change, may be delayed for any time, so that
 * every process may have a stale view, and may never come.</li>
 * <li>The steps of the change are calls of their own, so a process may stop between any
 * two of them. The scripts that carry dead letters may stop after any write.</li>
 * <li>The tombstone of a message, and the trace of a carried dead letter, end when no
 * call can be repeated that they answer, and the dead letter is in no older epoch:
 * windows are longer.</li>
 * </ul>
 * Not modelled: a directory that Redis loses; purge, postpone and reschedule, which ask
 * as replace and cancel do.
 */
final class EpochModel implements Model {

	private final EpochScope scope;

	private final EpochCallers callers;

	private final EpochCarrying carrying;

	private final EpochServer server;

	EpochModel(EpochScope scope) {
		this.scope = scope;
		this.callers = new EpochCallers(scope);
		this.carrying = new EpochCarrying(scope);
		this.server = new EpochServer(scope);
	}

	@Override
	public void next(State state, Steps steps) {
		this.callers.from(state, steps);
		this.carrying.from(state, steps);
		this.server.from(state, steps);
	}

	/** Forgets what no step reads any more. */
	@Override
	public State canonical(State state) {
		int copied = EpochPart.COPY.of(state) & 3;
		int repeated = State.setOf(copied);
		State after = state;
		for (int number = 0; number < EpochCall.MOST; number++) {
			EpochCall call = EpochCall.of(state, number);
			if (call.isOpen()) {
				repeated |= 1 << number;
			}
			else if (call.phase() == Phase.OVER && copied != number + 1) {
				after = new EpochCall(EpochCall.Kind.KEEP, Phase.OVER, 0, 0, 0, false).in(after, number);
			}
		}
		int known = repeated | storedBefore(state, EpochKey.PLACES);
		for (int place = 0; place < EpochKey.PLACES; place++) {
			int kept = this.scope.has(EpochMutation.CARRY_LEAVES_NO_TRACE) ? repeated
					: repeated | storedBefore(state, place);
			after = EpochPart.TOMBSTONES.set(after, place, EpochPart.TOMBSTONES.of(after, place) & kept);
		}
		int over = EpochPart.FINISHED.of(after) & ~known;
		return EpochPart.STORED.set(EpochPart.FINISHED.set(after, EpochPart.FINISHED.of(after) & ~over),
				EpochPart.STORED.of(after) & ~over);
	}

	/** The calls whose messages are stored in older places, or being carried. */
	private static int storedBefore(State state, int end) {
		int stored = 0;
		for (int id = 0; id < EpochKey.IDS; id++) {
			for (int number = 0; number < EpochCarrier.MOST; number++) {
				stored |= State.setOf(EpochCarrier.of(state, number).letter(id));
			}
			for (int place = 0; place < end; place++) {
				stored |= State.setOf(EpochKey.RECORD.of(state, place, id));
			}
		}
		return stored;
	}

	@Override
	public State renamed(State state) {
		return canonical(state);
	}

	@Override
	public @Nullable Property brokenIn(State state) {
		int consumed = EpochPart.consumed(state);
		int stored = 0;
		int counted = 0;
		int delivering = 0;
		for (int id = 0; id < this.scope.ids(); id++) {
			int records = 0;
			boolean counts = false;
			for (int place = 0; place < EpochKey.PLACES; place++) {
				int label = State.setOf(EpochKey.RECORD.of(state, place, id));
				if (label == 0) {
					continue;
				}
				boolean isLive = EpochKey.LIVE.has(state, place, id);
				if (!isLive && !EpochKey.DEAD.has(state, place, id)) {
					return Property.P4;
				}
				stored |= ((consumed >> place & 1) != 0) ? label : 0;
				boolean isInert = !isLive && EpochPart.CARRYING.of(state, place) != 0;
				// A dead letter that moves keeps its slot only if others leave it one
				counts |= isLive
						|| (this.scope.has(Setting.COUNT_DEAD) && !isInert && EpochKey.MEMBER.has(state, place, id));
				delivering |= isLive ? 1 << place : 0;
				if (!isInert && EpochPart.FINISHED.has(state, label)) {
					return Property.P9;
				}
				records += isInert ? 0 : 1;
			}
			if (records > 1) {
				return Property.E1;
			}
			counted += counts ? 1 : 0;
		}
		if ((EpochPart.STORED.of(state) & ~EpochPart.FINISHED.of(state) & ~stored) != 0) {
			return Property.P1;
		}
		if (this.scope.isGroup() && counted > this.scope.quota()) {
			return Property.G1;
		}
		return (Integer.bitCount(delivering) > 1) ? Property.E2 : isEmptyAfterItsEnd(state) ? null : Property.E4;
	}

	private static boolean isEmptyAfterItsEnd(State state) {
		for (int place = 0; place < EpochKey.PLACES; place++) {
			boolean isEmpty = !EpochKey.RECORD.hasAny(state, place) && EpochPart.TOMBSTONES.of(state, place) == 0;
			if ((EpochPart.DROPPED.of(state) >> place & 1) != 0 && !isEmpty) {
				return false;
			}
		}
		return true;
	}

	/** Older epochs end by themselves. */
	@Override
	public List<Rest> rests() {
		// An id that is taken keeps its dead letter where it is
		return this.scope.has(Setting.OCCUPIED) ? List.of()
				: List.of(new Rest((state) -> true, EpochModel::isSettled, true),
						new Rest((state) -> EpochPart.STOPS.of(state) == 0, EpochModel::isSettled, false));
	}

	private static boolean isSettled(State state) {
		return EpochPart.ANNOUNCED.of(state) == 0 && Integer.bitCount(EpochPart.usable(state)) == 1;
	}

}
