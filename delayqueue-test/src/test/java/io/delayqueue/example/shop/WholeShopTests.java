package io.delayqueue.example.shop;

import java.time.Duration;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.test.AutoConfigureDelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import io.delayqueue.test.TestQueues;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest
@AutoConfigureDelayQueueTest
class WholeShopTests {

	@Test
	void remindsAndClosesAfterAWeek(@Autowired DelayQueueOperations operations, @Autowired DelayQueueTime time,
			@Autowired TestQueues queues, @Autowired Greeting greeting) {
		operations.schedule(ScheduleRequest.to("orders").id("o-1").payload("o-1").delay(Duration.ofDays(7)));

		time.advance(Duration.ofDays(7));

		assertThat(queues.queue("orders")).message("o-1").wasHandled();
		assertThat(greeting).isNotNull();
	}

}
