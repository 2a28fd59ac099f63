package io.delayqueue.example.limits;

import java.time.Duration;

import io.delayqueue.RateLimit;
import io.delayqueue.admin.DelayQueueAdmin;

import org.springframework.stereotype.Component;

/** Slows the queue down while the gateway has less capacity. */
@Component
class Gateway {

	private final DelayQueueAdmin admin;

	Gateway(DelayQueueAdmin admin) {
		this.admin = admin;
	}

	void slowDown() {
		this.admin.limitRate("sms", RateLimit.of(20, Duration.ofSeconds(1)));
	}

	void goOn() {
		this.admin.clearRateLimit("sms");
	}

}
