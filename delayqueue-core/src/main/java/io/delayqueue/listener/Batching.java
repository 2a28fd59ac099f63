package io.delayqueue.listener;

import java.time.Duration;

import io.delayqueue.delivery.BatchSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * The batch attributes of an annotation.
 *
 * @param enabled whether the listener is a batch listener
 * @param settings the settings; {@code null} if batches are not enabled or an attribute
 * is invalid
 */
record Batching(boolean enabled, @Nullable BatchSettings settings) {

	static final Batching NONE = new Batching(false, null);

	/** Reads the attributes; those that cannot be resolved are {@code null}. */
	static Batching read(@Nullable Attribute batch, @Nullable Attribute wait, boolean byGroup, Faults.OfMethod faults) {
		if (batch != null && batch.isEmpty()) {
			if (wait != null && !wait.isEmpty()) {
				wait.reject("has no effect without batch", "Set batch too, or leave it out");
			}
			if (byGroup) {
				faults.attribute("groupBy", "true", "has no effect without batch", "Set batch too, or leave it out");
			}
			return NONE;
		}
		Integer most = (batch != null) ? most(batch) : null;
		Duration time = (wait != null) ? time(wait) : null;
		return new Batching(true, (most != null && time != null) ? new BatchSettings(most, time, byGroup) : null);
	}

	private static @Nullable Integer most(Attribute batch) {
		String fix = "Use a number from 1 to 1,000";
		try {
			int number = Integer.parseInt(batch.value());
			if (BatchSettings.MOST.contains(number)) {
				return number;
			}
			batch.reject("is out of bounds", fix);
		}
		catch (NumberFormatException ex) {
			batch.reject("is not a number", fix);
		}
		return null;
	}

	private static @Nullable Duration time(Attribute wait) {
		String fix = "Use a duration from 0 to 1 minute, for example 200ms";
		if (wait.isEmpty()) {
			return Duration.ZERO;
		}
		try {
			Duration time = DurationFormatterUtils.detectAndParse(wait.value());
			if (BatchSettings.PATIENCE.contains(time)) {
				return time;
			}
			wait.reject("is out of bounds", fix);
		}
		catch (RuntimeException ex) {
			wait.reject("is not a duration", fix);
		}
		return null;
	}

}
