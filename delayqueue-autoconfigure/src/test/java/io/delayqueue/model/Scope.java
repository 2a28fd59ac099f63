package io.delayqueue.model;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * How much of the world a run explores.
 *
 * @param versions calls of producers, at most {@link Call#MAX_CALLS}
 * @param faults deaths, freezes and lost messages
 * @param stops scripts that stop half-way
 * @param features what is modelled besides
 * @param mutation what is wrong with the design, {@code null} for nothing
 */
record Scope(int versions, int faults, int stops, Set<Feature> features, @Nullable Mutation mutation) {

	/** What a run can do without. */
	enum Feature {

		/** A message that is due at 1 has an expiry. */
		EXPIRY,

		/** The message belongs to a group, which may be full. */
		GROUPS,

		/** Messages may be postponed. */
		POSTPONE,

		/** A handler may hang; it counts as a fault. */
		HANGS,

		/** Redis may refuse all writes for a while; that counts as a fault. */
		REFUSALS

	}

	static Scope of(int versions, int faults, int stops, Feature... features) {
		Set<Feature> chosen = EnumSet.noneOf(Feature.class);
		chosen.addAll(List.of(features));
		return new Scope(versions, faults, stops, chosen, null);
	}

	Scope with(Mutation mutation) {
		return new Scope(this.versions, this.faults, this.stops, this.features, mutation);
	}

	boolean has(Feature feature) {
		return this.features.contains(feature);
	}

	boolean has(Mutation mutation) {
		return this.mutation == mutation;
	}

	Script script(Transition transition) {
		return new Script(transition, this.mutation);
	}

	@Override
	public String toString() {
		StringBuilder text = new StringBuilder();
		text.append(this.versions).append(" versions, ");
		text.append(this.faults).append(" faults, ");
		text.append(this.stops).append(" stopped scripts");
		this.features.forEach((feature) -> text.append(", ").append(feature.name().toLowerCase(Locale.ROOT)));
		if (this.mutation != null) {
			text.append(", and ").append(this.mutation);
		}
		return text.toString();
	}

}
