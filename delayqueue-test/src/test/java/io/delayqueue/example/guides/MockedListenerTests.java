package io.delayqueue.example.guides;

import java.time.Duration;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.example.guides.ReminderListener.Reminder;
import io.delayqueue.test.DelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.mockito.Mockito.verify;

/** A listener that is replaced by a mock gets the messages. */
@DelayQueueTest(ReminderListener.class)
class MockedListenerTests {

	@MockitoBean
	private ReminderListener listener;

	@Test
	void theMockGetsTheMessages(@Autowired DelayQueueOperations operations, @Autowired DelayQueueTime time) {
		operations.schedule("reminders", new Reminder("m-1"), Duration.ofDays(7));
		time.advance(Duration.ofDays(7));
		verify(this.listener).remind(new Reminder("m-1"));
	}

}
