package io.delayqueue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Computes the waits between the attempts of a message whose handler fails. Instances are
 * immutable.
 *
 * <p>
 * The wait after failure n, counted from 1, comes from a list of waits or is computed.
 * The last wait of such a list applies to all later failures. A computed wait after
 * failure n is {@code (first + (n - 1) * step) * multiplier^(n - 1)}, at most
 * {@code max}. Jitter changes each wait at random, up or down, by at most the fraction
 * {@code jitter} of the wait. A wait with jitter is at most 3,650 days.
 *
 * @param delays the list of waits, 0 to 3,650 days each; empty to compute the waits
 * @param first the first computed wait, 1 ms to 3,650 days
 * @param step the time added to the wait after each failure, 0 to 3,650 days
 * @param multiplier the growth factor, 1 to 100
 * @param max the longest computed wait, from {@code first} to 3,650 days
 * @param jitter the fraction of a wait by which it varies, 0 to 1; 0 for none
 */
public record BackOffPolicy(List<Duration> delays, Duration first, Duration step, double multiplier, Duration max,
		double jitter) {

	private static final Duration SHORTEST = Duration.ofMillis(1);

	private static final Duration LONGEST = Duration.ofDays(3650);

	/**
	 * Checks the bounds of all components.
	 * @throws IllegalArgumentException if a component is out of its bounds
	 */
	public BackOffPolicy {
		delays = List.copyOf(delays);
		if (delays.stream().anyMatch((delay) -> delay.isNegative() || delay.compareTo(LONGEST) > 0)) {
			throw new IllegalArgumentException("back-off.delays are " + delays.stream().map(DurationText::of).toList()
					+ " but each must be from 0 to 3650 days");
		}
		if (first.compareTo(SHORTEST) < 0 || first.compareTo(LONGEST) > 0) {
			throw new IllegalArgumentException(
					"back-off.first is " + DurationText.of(first) + " but must be from 1 ms to 3650 days");
		}
		if (step.isNegative() || step.compareTo(LONGEST) > 0) {
			throw new IllegalArgumentException(
					"back-off.step is " + DurationText.of(step) + " but must be from 0 to 3650 days");
		}
		if (!(multiplier >= 1 && multiplier <= 100)) {
			throw new IllegalArgumentException("back-off.multiplier is " + multiplier + " but must be from 1 to 100");
		}
		if (max.compareTo(first) < 0 || max.compareTo(LONGEST) > 0) {
			throw new IllegalArgumentException(
					"back-off.max is " + DurationText.of(max) + " but must be at least the first wait, which is "
							+ DurationText.of(first) + ", and at most 3650 days");
		}
		if (!(jitter >= 0 && jitter <= 1)) {
			throw new IllegalArgumentException("back-off.jitter is " + jitter + " but must be from 0 to 1");
		}
	}

	/**
	 * Creates a policy with the same wait after each failure.
	 * @param wait the wait, 1 ms to 3,650 days
	 * @return the policy, without jitter
	 */
	public static BackOffPolicy fixed(Duration wait) {
		return new BackOffPolicy(List.of(), wait, Duration.ZERO, 1, LONGEST, 0);
	}

	/**
	 * Creates a policy whose wait grows by a fixed time after each failure.
	 * @param first the first wait, 1 ms to 3,650 days
	 * @param step the time added to the wait after each failure, 0 to 3,650 days
	 * @return the policy, without jitter
	 */
	public static BackOffPolicy linear(Duration first, Duration step) {
		return new BackOffPolicy(List.of(), first, step, 1, LONGEST, 0);
	}

	/**
	 * Creates a policy whose wait is multiplied by a factor after each failure.
	 * @param first the first wait, 1 ms to 3,650 days
	 * @param multiplier the growth factor, 1 to 100
	 * @param max the longest wait, from {@code first} to 3,650 days
	 * @return the policy, without jitter
	 */
	public static BackOffPolicy exponential(Duration first, double multiplier, Duration max) {
		return new BackOffPolicy(List.of(), first, Duration.ZERO, multiplier, max, 0);
	}

	/**
	 * Creates a policy from a list of waits. The last wait of the list applies to all
	 * later failures.
	 * @param delays one wait or more, 0 to 3,650 days each
	 * @return the policy, without jitter
	 * @throws IllegalArgumentException if the list is empty or a wait is out of its
	 * bounds
	 */
	public static BackOffPolicy delays(List<Duration> delays) {
		if (delays.isEmpty()) {
			throw new IllegalArgumentException("back-off.delays are empty but must have one delay or more");
		}
		return new BackOffPolicy(delays, SHORTEST, Duration.ZERO, 1, LONGEST, 0);
	}

	/**
	 * Returns a copy of this back-off policy with another jitter.
	 * @param jitter the fraction of a wait by which it varies, 0 to 1; 0 for none
	 * @return the new policy
	 */
	public BackOffPolicy withJitter(double jitter) {
		return new BackOffPolicy(this.delays, this.first, this.step, this.multiplier, this.max, jitter);
	}

	/**
	 * Returns the wait before the next attempt after a number of failures. With jitter,
	 * each call of this method returns a different wait.
	 * @param failures the number of failures so far, 1 or more
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
