package io.delayqueue.queue;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.delayqueue.BackOffPolicy;

/**
 * The settings for messages of a queue whose handlers fail, run too long or crash.
 *
 * @param maxAttempts the number of failed attempts, including the first attempt, after
 * which a message is dead-lettered, 1 to 10,000
 * @param maxCrashes the number of crashes after which a message is dead-lettered if it
 * ran alone at the last one, 1 to 100, where 1 means 2; a crash means that the process
 * which had the message stopped renewing the lease
 * @param maxDefers the number of times that handlers may defer a message, 0 to 1,000,000
 * @param unreadableAttempts the number of attempts after which a message that cannot be
 * converted is dead-lettered, 1 to 10,000; if the number is above 1, a process with a
 * newer version of the application may be able to convert the message at a later attempt
 * @param timeout the time after which a handler is interrupted and its attempt fails, 1 s
 * to 365 d
 * @param backOff the wait before each retry
 * @param neverRetried the exceptions, including their subclasses, after which a message
 * is dead-lettered at once
 * @param maxHold the longest time for which a handler may hold its queue or group, 1 s to
 * 365 d
 * @param failureStack the most characters of the stack trace of a message's last failure
 * that Redis keeps with the message, 0 to 20,000; 0 for none
 */
public record RetrySettings(int maxAttempts, int maxCrashes, int maxDefers, int unreadableAttempts, Duration timeout,
		BackOffPolicy backOff, Set<Class<?>> neverRetried, Duration maxHold, int failureStack) {

	/** The default of {@code maxHold}. */
	public static final Duration DEFAULT_MAX_HOLD = Duration.ofHours(1);

	/** The bounds of {@code maxAttempts}. */
	public static final Bounds<Integer> MAX_ATTEMPTS = new Bounds<>(1, 10_000);

	/** The bounds of {@code maxCrashes}. */
	public static final Bounds<Integer> MAX_CRASHES = new Bounds<>(1, 100);

	/** The bounds of {@code maxDefers}. */
	public static final Bounds<Integer> MAX_DEFERS = new Bounds<>(0, 1_000_000);

	/** The bounds of {@code unreadableAttempts}. */
	public static final Bounds<Integer> UNREADABLE_ATTEMPTS = new Bounds<>(1, 10_000);

	/** The bounds of {@code timeout}. */
	public static final Bounds<Duration> TIMEOUT = new Bounds<>(Duration.ofSeconds(1), Duration.ofDays(365));

	/** The bounds of {@code maxHold}. */
	public static final Bounds<Duration> MAX_HOLD = new Bounds<>(Duration.ofSeconds(1), Duration.ofDays(365));

	/** The bounds of {@code failureStack}. */
	public static final Bounds<Integer> FAILURE_STACK = new Bounds<>(0, 20_000);

	/** Copies the set of exceptions. */
	public RetrySettings {
		neverRetried = Set.copyOf(neverRetried);
	}

	/**
	 * Creates settings with the default {@code maxHold} and without stack traces.
	 * @param maxAttempts the number of failures after which a message is dead-lettered
	 * @param maxCrashes the number of crashes after which a message is dead-lettered
	 * @param maxDefers the number of times that handlers may defer a message
	 * @param unreadableAttempts the number of attempts after which a message that cannot
	 * be converted is dead-lettered
	 * @param timeout the time for which a handler may run
	 * @param backOff the wait before each retry
	 * @param neverRetried the exceptions after which a message is dead-lettered at once
	 */
	public RetrySettings(int maxAttempts, int maxCrashes, int maxDefers, int unreadableAttempts, Duration timeout,
			BackOffPolicy backOff, Set<Class<?>> neverRetried) {
		this(maxAttempts, maxCrashes, maxDefers, unreadableAttempts, timeout, backOff, neverRetried, DEFAULT_MAX_HOLD);
	}

	/**
	 * Creates settings without stack traces.
	 * @param maxAttempts the number of failures after which a message is dead-lettered
	 * @param maxCrashes the number of crashes after which a message is dead-lettered
	 * @param maxDefers the number of times that handlers may defer a message
	 * @param unreadableAttempts the number of attempts after which a message that cannot
	 * be converted is dead-lettered
	 * @param timeout the time for which a handler may run
	 * @param backOff the wait before each retry
	 * @param neverRetried the exceptions after which a message is dead-lettered at once
	 * @param maxHold the longest time for which a handler may hold its queue or group
	 */
	public RetrySettings(int maxAttempts, int maxCrashes, int maxDefers, int unreadableAttempts, Duration timeout,
			BackOffPolicy backOff, Set<Class<?>> neverRetried, Duration maxHold) {
		this(maxAttempts, maxCrashes, maxDefers, unreadableAttempts, timeout, backOff, neverRetried, maxHold, 0);
	}

	/** Adds an error message for each setting that is out of its bounds. */
	void check(List<String> faults) {
		MAX_ATTEMPTS.check(faults, "max-attempts", this.maxAttempts);
		MAX_CRASHES.check(faults, "max-crashes", this.maxCrashes);
		MAX_DEFERS.check(faults, "max-defers", this.maxDefers);
		UNREADABLE_ATTEMPTS.check(faults, "unreadable-attempts", this.unreadableAttempts);
		TIMEOUT.check(faults, "timeout", this.timeout);
		MAX_HOLD.check(faults, "max-hold", this.maxHold);
		FAILURE_STACK.check(faults, "failure-stack", this.failureStack);
		for (Class<?> type : this.neverRetried) {
			if (!Throwable.class.isAssignableFrom(type)) {
				faults.add("never-retried names " + type.getName() + " but must name exceptions");
			}
		}
	}

	/**
	 * Returns these settings, overridden by the retry settings of a message.
	 * @param override the settings of the message
	 * @return the settings for the message
	 */
	public RetrySettings with(RetryOverride override) {
		if (override.isNone()) {
			return this;
		}
		return new RetrySettings((override.maxAttempts() != null) ? override.maxAttempts() : this.maxAttempts,
				this.maxCrashes, this.maxDefers, this.unreadableAttempts, this.timeout,
				(override.backOff() != null) ? override.backOff() : this.backOff, this.neverRetried, this.maxHold,
				this.failureStack);
	}

	RetrySettings withTimeout(Duration timeout) {
		return new RetrySettings(this.maxAttempts, this.maxCrashes, this.maxDefers, this.unreadableAttempts, timeout,
				this.backOff, this.neverRetried, this.maxHold, this.failureStack);
	}

	/**
	 * Whether a message is dead-lettered at once after the given failure.
	 * @param failure the exception of the handler
	 * @return {@code true} if the class of the exception, or a superclass, is never
	 * retried
	 */
	public boolean isNeverRetried(Throwable failure) {
		return this.neverRetried.stream().anyMatch((type) -> type.isInstance(failure));
	}

}
