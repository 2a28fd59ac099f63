package io.delayqueue.example.limits;

import java.time.Duration;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.RateLimit;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.test.DelayQueueTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/** Limits are set as described in the document. */
@DelayQueueTest(properties = "spring.config.location=classpath:guides/limits.yml")
@Import(Gateway.class)
class LimitsTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	@Autowired
	private DelayQueueOperations delayQueue;

	@Autowired
	private DelayQueueAdmin admin;

	@Autowired
	private Gateway gateway;

	@Test
	void anOperatorReplacesTheRateOfTheProperty() {
		this.delayQueue.schedule("sms", "hello", SECOND);
		RateLimit configured = new RateLimit(100, SECOND, 20);
		assertThat(this.admin.limits("sms").rateLimit()).isEqualTo(configured);
		this.gateway.slowDown();
		assertThat(this.admin.limits("sms").rateLimit()).isEqualTo(new RateLimit(20, SECOND, 2));
		this.gateway.goOn();
		assertThat(this.admin.limits("sms").rateLimit()).isEqualTo(configured);
	}

	@Test
	void aQueueMayHaveACapWithoutARate() {
		this.delayQueue.schedule("export", "all", SECOND);
		assertThat(this.admin.limits("export").maxInFlight()).isEqualTo(5);
		assertThat(this.admin.limits("export").rateLimit()).isNull();
	}

}
