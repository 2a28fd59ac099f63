package io.delayqueue.example.holds;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.QueueHold;
import io.delayqueue.admin.QueueHold.By;
import io.delayqueue.example.holds.Webhooks.Partner;
import io.delayqueue.test.AutoConfigureDelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import io.delayqueue.test.TestQueue;
import io.delayqueue.test.TestQueues;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;

/**
 * A partner asks all callers to wait.
 */
@SpringBootTest(webEnvironment = WebEnvironment.NONE)
@AutoConfigureDelayQueueTest
class HoldsTests {

	private static final Partner.Answer GOOD = new Partner.Answer(200, Map.of());

	@MockitoBean
	private Partner partner;

	@Autowired
	private DelayQueueOperations delayQueue;

	@Autowired
	private DelayQueueAdmin admin;

	@Autowired
	private DelayQueueTime time;

	@Test
	void nothingIsDeliveredUntilTheTimeOfThePartner(@Autowired TestQueues queues) {
		TestQueue queue = queues.queue("webhooks");
		given(this.partner.call(any())).willReturn(new Partner.Answer(429, Map.of("Retry-After", "3600")), GOOD);
		schedule("w-1");
		this.time.advance(Duration.ZERO);
		assertThat(this.admin.holds("webhooks")).singleElement()
			.returns(By.HANDLER, QueueHold::by)
			.returns("429 Too Many Requests", QueueHold::why);
		List.of("w-2", "w-3").forEach(this::schedule);
		this.time.advance(Duration.ofMinutes(59));
		assertThat(queue).message("w-1").wasDeliveredTimes(1);
		assertThat(queue).hasScheduled("w-2");

		this.time.advance(Duration.ofMinutes(2));

		List.of("w-1", "w-2", "w-3").forEach((id) -> assertThat(queue).message(id).wasHandled());
		assertThat(this.admin.holds("webhooks")).isEmpty();
	}

	private void schedule(String id) {
		this.delayQueue.schedule(ScheduleRequest.to("webhooks").id(id).payload(id).delay(Duration.ZERO));
	}

}
