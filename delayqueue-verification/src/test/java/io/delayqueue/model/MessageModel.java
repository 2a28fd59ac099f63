package io.delayqueue.model;

import java.util.List;

import org.jspecify.annotations.Nullable;

/** One message id and every step that can happen to it. */
final class MessageModel implements Model {

	private final Scope scope;

	private final CallerSteps callers;

	private final ServerSteps server;

	private final ConsumerSteps consumers;

	MessageModel(Scope scope) {
		this.scope = scope;
		this.callers = new CallerSteps(scope);
		this.server = new ServerSteps(scope);
		this.consumers = new ConsumerSteps(scope);
	}

	@Override
	public void next(State state, Steps steps) {
		if (Leases.of(state) != Leases.REFUSED) {
			this.callers.from(state, steps);
		}
		this.server.from(state, steps);
		this.consumers.from(state, ConsumerName.A, steps);
		this.consumers.from(state, ConsumerName.B, steps);
	}

	@Override
	public @Nullable Property brokenIn(State state) {
		int current = State.setOf(state.message().version());
		int owed = state.get(Field.ACCEPTED) & ~state.get(Field.HANDLED) & ~state.get(Field.ENDED);
		if ((owed & ~current) != 0) {
			return Property.P1;
		}
		if (state.stored() && state.location() == Location.NOWHERE) {
			return Property.P4;
		}
		boolean untidy = state.stored() ? locations(state) > 1 : isLeftover(state);
		return (untidy && !state.has(Field.STOPS)) ? Property.P4 : null;
	}

	private static int locations(State state) {
		int locations = state.has(Field.SCHEDULED) ? 1 : 0;
		locations += state.get(Field.PARKED) + state.get(Field.DEAD);
		Location location = state.location();
		return (location == Location.READY || location == Location.PENDING) ? locations + 1 : locations;
	}

	/** Whether a key other than the record contains the id. */
	private static boolean isLeftover(State state) {
		return state.has(Field.SCHEDULED) || state.has(Field.PARKED) || state.has(Field.DEAD)
				|| state.has(Field.ENTRIES) || state.has(Field.FAILURES) || state.has(Field.EXPIRIES);
	}

	@Override
	public State canonical(State state) {
		return CanonicalForm.of(forgotten(state));
	}

	@Override
	public State renamed(State state) {
		return CanonicalForm.renamed(forgotten(state));
	}

	/** Drops data that no later call can read. */
	private State forgotten(State state) {
		boolean callable = state.get(Field.CALLS) < this.scope.versions() || Call.open(state) != 0;
		return callable ? state : state.with(Field.DONE, 0);
	}

	@Override
	public List<Rest> rests() {
		return List.of(new Rest((state) -> true, MessageModel::atRest, false),
				new Rest((state) -> true, MessageModel::clean, true));
	}

	/** The message is gone or dead, and no entry of it is in the stream or pending. */
	private static boolean atRest(State state) {
		return state.ready().isEmpty() && (!state.stored() || state.location() == Location.DEAD);
	}

	/** At rest, without leftovers of a removed message. */
	private static boolean clean(State state) {
		return atRest(state) && (state.stored() || !isLeftover(state));
	}

}
