package io.delayqueue.outbox.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import io.delayqueue.queue.Bounds;

/**
 * The settings of an outbox.
 *
 * @param tableName the name of the table, with or without a schema
 * @param window how long after the end of a message Redis recognises the message if a
 * process sends its row again, 1 minute to 7 days
 * @param batchSize the most due rows of one claim, 1 to 1,000; a claim adds the next rows
 * of up to 10 messages, at most 50 rows of each message
 * @param pollInterval the interval at which each process looks for rows that no process
 * has sent right after their commit, 10 ms to 1 h
 * @param claimTimeout for how long no other process sends the rows that a process has
 * claimed, 2 s to 1 h
 * @param maxBackOff the longest wait between two attempts to send a row, 100 ms to 1 h
 */
public record OutboxSettings(String tableName, Duration window, int batchSize, Duration pollInterval,
		Duration claimTimeout, Duration maxBackOff) {

	private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)?");

	private static final Bounds<Duration> WINDOW = new Bounds<>(Duration.ofMinutes(1), Duration.ofDays(7));

	private static final Bounds<Integer> BATCH_SIZE = new Bounds<>(1, 1000);

	private static final Bounds<Duration> POLL_INTERVAL = new Bounds<>(Duration.ofMillis(10), Duration.ofHours(1));

	private static final Bounds<Duration> CLAIM_TIMEOUT = new Bounds<>(Duration.ofSeconds(2), Duration.ofHours(1));

	private static final Bounds<Duration> MAX_BACK_OFF = new Bounds<>(Duration.ofMillis(100), Duration.ofHours(1));

	/**
	 * Checks the bounds of all settings.
	 * @throws IllegalArgumentException if a setting is out of its bounds; its message
	 * names all faults
	 */
	public OutboxSettings {
		List<String> faults = new ArrayList<>();
		if (!NAME.matcher(tableName).matches()) {
			faults.add("table-name is '" + tableName
					+ "' but must be a name of letters, digits and _, with or without a schema before a dot");
		}
		WINDOW.check(faults, "window", window);
		BATCH_SIZE.check(faults, "batch-size", batchSize);
		POLL_INTERVAL.check(faults, "poll-interval", pollInterval);
		CLAIM_TIMEOUT.check(faults, "claim-timeout", claimTimeout);
		MAX_BACK_OFF.check(faults, "max-back-off", maxBackOff);
		if (!faults.isEmpty()) {
			throw new IllegalArgumentException(String.join("; ", faults));
		}
	}

}
