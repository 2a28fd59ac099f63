package io.delayqueue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How long to wait before a message whose handler failed is tried again. Immutable.
 *
 * <p>
 * The wait after failure n (the first is 1) is taken from a list, whose last element
 * holds for all later ones, or computed: {@code first + (n - 1) * step}, then multiplied
 * by {@code multiplier} to the power of n - 1, never more than {@code max}. Jitter then
 * moves it by up to that share of itself, up or down, at random.
 *
 * @param delays the explicit list; empty to compute
 * @param first the first wait, 1 ms or more
 * @param step what is added each time, 0 or more
 * @param multiplier what each wait is multiplied by, 1 to 100
 * @param max the longest wait, not shorter than the first
 * @param jitter the share, 0 to 1
 */
public record BackOffPolicy(List<Duration> delays, Duration first, Duration step, double multiplier, Duration max,
		double jitter) {

	private static final Duration SHORTEST = Duration.ofMillis(1);

	private static final Duration LONGEST = Duration.ofDays(3650);

	/**
	 * Checks the parts.
	 * @throws IllegalArgumentException if a part is out of its bounds
	 */
	public BackOffPolicy {
		delays = List.copyOf(delays);
		if (delays.stream().anyMatch(Duration::isNegative)) {
			throw new IllegalArgumentException("back-off delays are " + delays + " but none may be negative");
		}
		if (first.compareTo(SHORTEST) < 0 || first.compareTo(LONGEST) > 0) {
			throw new IllegalArgumentException("back-off first is " + first + " but must be from 1 ms to 3650 days");
		}
		if (step.isNegative() || step.compareTo(LONGEST) > 0) {
			throw new IllegalArgumentException("back-off step is " + step + " but must be from 0 to 3650 days");
		}
		if (!(multiplier >= 1 && multiplier <= 100)) {
			throw new IllegalArgumentException("back-off multiplier is " + multiplier + " but must be from 1 to 100");
		}
		if (max.compareTo(first) < 0 || max.compareTo(LONGEST) > 0) {
			throw new IllegalArgumentException(
					"back-off max is " + max + " but must be from the first wait, " + first + ", to 3650 days");
		}
		if (!(jitter >= 0 && jitter <= 1)) {
			throw new IllegalArgumentException("back-off jitter is " + jitter + " but must be from 0 to 1");
		}
	}

	/**
	 * The same wait each time.
	 * @param wait the wait
	 * @return the policy, without jitter
	 */
	public static BackOffPolicy fixed(Duration wait) {
		return new BackOffPolicy(List.of(), wait, Duration.ZERO, 1, LONGEST, 0);
	}

	/**
	 * A wait that grows by the same step each time.
	 * @param first the first wait
	 * @param step what is added each time
	 * @return the policy, without jitter
	 */
	public static BackOffPolicy linear(Duration first, Duration step) {
		return new BackOffPolicy(List.of(), first, step, 1, LONGEST, 0);
	}

	/**
	 * A wait that is multiplied each time.
	 * @param first the first wait
	 * @param multiplier what it is multiplied by
	 * @param max the longest wait
	 * @return the policy, without jitter
	 */
	public static BackOffPolicy exponential(Duration first, double multiplier, Duration max) {
		return new BackOffPolicy(List.of(), first, Duration.ZERO, multiplier, max, 0);
	}

	/**
	 * The waits one by one; the last one holds for all later failures.
	 * @param delays one wait or more
	 * @return the policy, without jitter
	 */
	public static BackOffPolicy delays(List<Duration> delays) {
		if (delays.isEmpty()) {
			throw new IllegalArgumentException("back-off delays are empty but must be one or more");
		}
		return new BackOffPolicy(delays, SHORTEST, Duration.ZERO, 1, LONGEST, 0);
	}

	/**
	 * The same policy with jitter.
	 * @param jitter the share by which a wait may be shorter or longer, 0 to 1
	 * @return the new policy
	 */
	public BackOffPolicy withJitter(double jitter) {
		return new BackOffPolicy(this.delays, this.first, this.step, this.multiplier, this.max, jitter);
	}

	/**
	 * The wait after a failure.
	 * @param failures how many failures there are by now, 1 or more
	 * @return the wait, in whole milliseconds
	 */
	public Duration waitAfter(int failures) {
		double millis = exactMillis(Math.max(1, failures) - 1);
		double spread = (2 * ThreadLocalRandom.current().nextDouble() - 1) * this.jitter;
		return Duration.ofMillis(Math.round(Math.min(millis * (1 + spread), (double) LONGEST.toMillis())));
	}

	private double exactMillis(int before) {
		if (!this.delays.isEmpty()) {
			return (double) this.delays.get(Math.min(before, this.delays.size() - 1)).toMillis();
		}
		double millis = ((double) this.first.toMillis() + (double) before * (double) this.step.toMillis())
				* Math.pow(this.multiplier, before);
		return Math.min(millis, (double) this.max.toMillis());
	}

}
