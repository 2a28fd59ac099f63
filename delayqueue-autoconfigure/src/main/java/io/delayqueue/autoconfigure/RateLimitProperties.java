package io.delayqueue.autoconfigure;

import java.time.Duration;

import io.delayqueue.RateLimit;
import io.delayqueue.queue.FlowSettings;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of a rate limit.
 *
 * @param messages Maximum number of messages that are handed to handlers in a period,
 * across all processes.
 * @param per Period of the rate limit.
 * @param burst Maximum number of messages that are handed to handlers at once after a
 * time without messages. If not set, the burst is a tenth of the messages, at least 1.
 */
public record RateLimitProperties(@Nullable Integer messages, @DefaultValue("1s") Duration per,
		@Nullable Integer burst) {

	/** Converts the properties, which must be within their bounds, to a rate limit. */
	RateLimit toLimit() {
		RateLimit limit = RateLimit.of((this.messages != null) ? this.messages : 0, this.per);
		return (this.burst != null) ? limit.withBurst(this.burst) : limit;
	}

	void check(ConfigurationFaults faults, String path) {
		if (this.messages == null) {
			faults.add(path + ".messages", "", "must be set", "Set " + path + ".messages, or remove " + path);
		}
		faults.check(path + ".messages", this.messages, FlowSettings.RATE);
		faults.check(path + ".per", this.per, FlowSettings.PER);
		faults.check(path + ".burst", this.burst, FlowSettings.RATE);
	}

}
