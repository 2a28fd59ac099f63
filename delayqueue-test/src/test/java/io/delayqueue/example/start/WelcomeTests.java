package io.delayqueue.example.start;

import java.time.Duration;

import io.delayqueue.test.AutoConfigureDelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import io.delayqueue.test.TestQueues;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

@SpringBootTest
@AutoConfigureDelayQueueTest
class WelcomeTests {

	@MockitoBean
	Mails mails;

	@Autowired
	SignUp signUp;

	@Autowired
	DelayQueueTime time;

	@Autowired
	TestQueues queues;

	@Test
	void sendsTheMailAfterThreeDays() {
		this.signUp.register("u-1", "ann@example.com");
		this.time.advance(Duration.ofDays(2));
		verify(this.mails, never()).send(any(), any());
		this.time.advance(Duration.ofDays(1));
		verify(this.mails).send(eq("ann@example.com"), any());
	}

	@Test
	void sendsNoMailAfterTheUserHasLeft() {
		this.signUp.register("u-1", "ann@example.com");
		this.signUp.leave("u-1");
		this.time.advance(Duration.ofDays(3));
		assertThat(this.queues.queue("welcome")).hasDeliveredNothing();
	}

}
