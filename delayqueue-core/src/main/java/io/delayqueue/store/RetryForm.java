package io.delayqueue.store;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.queue.RetryOverride;
import org.jspecify.annotations.Nullable;

/**
 * The form in Redis of a message's retry settings: an object with {@code maxAttempts} and
 * {@code backOff}, each of which may be absent; times in ms.
 */
final class RetryForm {

	private RetryForm() {
	}

	static Map<String, Object> of(RetryOverride retry) {
		Map<String, Object> form = new LinkedHashMap<>();
		if (retry.maxAttempts() != null) {
			form.put("maxAttempts", retry.maxAttempts());
		}
		BackOffPolicy backOff = retry.backOff();
		if (backOff != null) {
			form.put("backOff", form(backOff));
		}
		return form;
	}

	private static Map<String, Object> form(BackOffPolicy backOff) {
		Map<String, Object> form = new LinkedHashMap<>();
		form.put("delays", backOff.delays().stream().map(Duration::toMillis).toList());
		form.put("first", backOff.first().toMillis());
		form.put("step", backOff.step().toMillis());
		form.put("multiplier", backOff.multiplier());
		form.put("max", backOff.max().toMillis());
		form.put("jitter", backOff.jitter());
		return form;
	}

	/**
	 * Reads the form.
	 * @throws ClassCastException if it is of another form
	 * @throws IllegalArgumentException if a value is out of its bounds
	 */
	static RetryOverride read(@Nullable Object form) {
		if (form == null) {
			return RetryOverride.NONE;
		}
		Map<?, ?> values = (Map<?, ?>) form;
		Number maxAttempts = (Number) values.get("maxAttempts");
		return new RetryOverride((maxAttempts != null) ? maxAttempts.intValue() : null, backOff(values.get("backOff")));
	}

	private static @Nullable BackOffPolicy backOff(@Nullable Object form) {
		if (form == null) {
			return null;
		}
		Map<?, ?> values = (Map<?, ?>) form;
		List<Duration> delays = ((List<?>) required(values, "delays")).stream().map(RetryForm::millis).toList();
		return new BackOffPolicy(delays, millis(required(values, "first")), millis(required(values, "step")),
				((Number) required(values, "multiplier")).doubleValue(), millis(required(values, "max")),
				((Number) required(values, "jitter")).doubleValue());
	}

	private static Object required(Map<?, ?> values, String name) {
		Object value = values.get(name);
		if (value == null) {
			throw new IllegalArgumentException("back-off has no " + name);
		}
		return value;
	}

	private static Duration millis(Object number) {
		return Duration.ofMillis(((Number) number).longValue());
	}

}
