package io.delayqueue.model;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The bounds of a search.
 *
 * @param versions calls of producers, at most {@link Call#MAX_CALLS}
 * @param faults process deaths, freezes and lost requests or answers
 * @param stops scripts that stop half-way
 * @param features the optional parts of the model
 * @param mutation the fault in the design, {@code null} for none
 */
record Scope(int versions, int faults, int stops, Set<Feature> features, @Nullable Mutation mutation) {

	/** An optional part of the model. */
	enum Feature {

		/** A message that is due at 1 has an expiry. */
		EXPIRY,

		/** The message belongs to a group, which may be at its limit. */
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
