package io.delayqueue.observe;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * One meter for each constant of an enum. Looks meters up without building tags.
 *
 * @param <E> the type of the enum
 * @param <M> the type of meter
 */
final class MeterPerConstant<E extends Enum<E>, M> {

	private final Map<E, M> meters;

	/**
	 * Registers the meters.
	 * @param constants the enum
	 * @param register registers the meter for one tag value
	 */
	MeterPerConstant(Class<E> constants, Function<String, M> register) {
		this.meters = new EnumMap<>(constants);
		EnumSet.allOf(constants)
			.forEach((constant) -> this.meters.put(constant, register.apply(DelayQueueMeters.value(constant))));
	}

	M of(E constant) {
		return Objects.requireNonNull(this.meters.get(constant));
	}

}
