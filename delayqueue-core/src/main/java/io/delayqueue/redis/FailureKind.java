package io.delayqueue.redis;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The effect that a failed call to Redis may have had on the stored data. Spring and the
 * drivers translate most transient errors to exceptions for invalid usage, so
 * {@code FailureKind} examines the root cause and the code at the start of Redis's error
 * reply (for example {@code LOADING}).
 */
public enum FailureKind {

	/** The call wrote nothing; the same call may succeed later. */
	NOT_EXECUTED,

	/** Redis may have run the call, once or several times. Repeating the call is safe. */
	UNKNOWN,

	/** Redis refuses the call until an operator corrects the cause. */
	REFUSED,

	/**
	 * The call was not sent, because the connections of this library are stopped or have
	 * not been started.
	 */
	CLOSED;

	private static final Set<String> TRANSIENT_CODES = Set.of("NOSCRIPT", "MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN",
			"LOADING", "MASTERDOWN", "READONLY", "BUSY", "OOM", "NOREPLICAS", "MISCONF", "CARRYING");

	/**
	 * Error messages of a cluster driver that has given up repeating a call. Redis may
	 * have run an earlier try of the call.
	 */
	private static final List<String> GAVE_UP = List.of("No more cluster attempts left",
			"Cluster retry deadline exceeded");

	private static final List<String> TOO_MANY = List.of("max number of clients reached");

	private static final List<String> NEVER_SENT = List.of("Connection refused", "Failed to connect",
			"Failed to create socket", "Unable to connect", "Could not get a resource", "Cannot get Jedis connection",
			"All sentinels down", "Cannot determine a partition");

	private static final Pattern CODE = Pattern.compile("^-?([A-Z]{3,}) .*", Pattern.DOTALL);

	static FailureKind of(Throwable failure) {
		List<Throwable> causes = causes(failure);
		if (anyMessage(causes, GAVE_UP)) {
			return UNKNOWN;
		}
		if (anyMessage(causes, TOO_MANY)) {
			return NOT_EXECUTED;
		}
		String code = code(failure);
		if (code != null) {
			return TRANSIENT_CODES.contains(code) ? NOT_EXECUTED : REFUSED;
		}
		if (anyMessage(causes, NEVER_SENT) || causes.stream().anyMatch(FailureKind::isNeverSent)) {
			return NOT_EXECUTED;
		}
		return causes.stream().anyMatch(FailureKind::isOfTheConnection) ? UNKNOWN : REFUSED;
	}

	/**
	 * Whether a call failed because all pooled connections were in use. When all pooled
	 * connections are in use, Redis may still be available.
	 */
	static boolean isPoolExhausted(Throwable failure) {
		return causes(failure).stream()
			.filter(NoSuchElementException.class::isInstance)
			.map(FailureKind::message)
			.anyMatch((words) -> words.startsWith("Timeout waiting for idle object")
					|| words.startsWith("Pool exhausted"));
	}

	/**
	 * Returns the code at the start of Redis's error reply, {@code null} if Redis sent no
	 * error reply.
	 */
	static @Nullable String code(Throwable failure) {
		for (Throwable cause : causes(failure)) {
			if (cause instanceof IOException) {
				continue;
			}
			Matcher matcher = CODE.matcher(message(cause));
			if (matcher.matches()) {
				return matcher.group(1);
			}
		}
		return null;
	}

	private static boolean isNeverSent(Throwable cause) {
		return cause instanceof ConnectException || cause instanceof UnknownHostException
				|| cause instanceof NoRouteToHostException || cause instanceof NoSuchElementException;
	}

	private static boolean isOfTheConnection(Throwable cause) {
		String type = cause.getClass().getSimpleName();
		// A ClassCastException means that the reply belongs to another command, because
		// its type is unexpected
		return cause instanceof IOException || cause instanceof ClassCastException || type.contains("Connection")
				|| type.contains("Timeout") || (type.equals("RedisSystemException") && cause.getCause() == null)
				|| cause.getClass().getName().startsWith("io.lettuce.");
	}

	private static boolean anyMessage(List<Throwable> causes, List<String> texts) {
		return causes.stream().map(FailureKind::message).anyMatch((m) -> texts.stream().anyMatch(m::contains));
	}

	private static String message(Throwable cause) {
		String message = cause.getMessage();
		return (message != null) ? message : "";
	}

	/**
	 * Returns the error text of Redis or of the driver, which some drivers wrap in a
	 * general message.
	 * @param failure the failure
	 * @return the error reply of Redis if there is one, otherwise the messages of the
	 * driver and of the root cause
	 */
	static String errorText(Throwable failure) {
		List<Throwable> causes = causes(failure);
		Collections.reverse(causes);
		for (Throwable cause : causes) {
			if (code(cause) != null) {
				return String.valueOf(cause.getMessage());
			}
		}
		String words = String.valueOf(causes.get(0).getMessage());
		String wrapped = String.valueOf(failure.getMessage());
		return wrapped.contains(words) ? wrapped : wrapped + ": " + words;
	}

	/** Returns the failure and its causes, down to the root. */
	private static List<Throwable> causes(Throwable failure) {
		List<Throwable> causes = new ArrayList<>();
		for (Throwable cause = failure; cause != null && !causes.contains(cause); cause = cause.getCause()) {
			causes.add(cause);
		}
		return causes;
	}

}
