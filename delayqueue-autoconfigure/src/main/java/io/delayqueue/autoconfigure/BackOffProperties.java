package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.delayqueue.BackOffPolicy;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the wait before a message is retried after its handler failed. A queue that
 * sets any of the back-off properties uses none of the back-off defaults.
 *
 * @param delays Waits after the first, second and further failures; the last wait applies
 * to all later failures. If not set, the waits are computed from the other properties.
 * @param first Wait after the first failure.
 * @param step Time that is added to the wait after each further failure.
 * @param multiplier Factor by which the wait is multiplied after each further failure.
 * @param max Maximum wait before a retry.
 * @param jitter Fraction, from 0 to 1, by which a wait is randomly shortened or
 * lengthened.
 */
public record BackOffProperties(@Nullable List<Duration> delays, @DefaultValue("1s") Duration first,
		@DefaultValue("0s") Duration step, @DefaultValue("2") double multiplier, @DefaultValue("10m") Duration max,
		@DefaultValue("0.2") double jitter) {

	BackOffPolicy toPolicy() {
		return new BackOffPolicy((this.delays != null) ? this.delays : List.of(), this.first, this.step,
				this.multiplier, this.max, this.jitter);
	}

}
