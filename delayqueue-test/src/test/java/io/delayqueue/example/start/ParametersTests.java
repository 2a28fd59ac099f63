package io.delayqueue.example.start;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.delayqueue.*;
import io.delayqueue.test.*;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A listener gets the parameters that the guide lists, with the imports that it shows.
 */
@DelayQueueTest(ParametersTests.Listener.class)
class ParametersTests {

	@Test
	void allParametersArePassed(@Autowired DelayQueueOperations delayQueue, @Autowired DelayQueueTime time,
			@Autowired Listener listener) {
		Welcome welcome = new Welcome("u-1", "ann@example.com");
		delayQueue.schedule(ScheduleRequest.to("welcome")
			.id("u-1")
			.payload(welcome)
			.header("source", "shop")
			.delay(Duration.ofDays(3)));
		time.advance(Duration.ofDays(3));
		assertThat(listener.received).containsExactly(welcome, "u-1", "shop", welcome);
	}

	static class Listener {

		private final List<Object> received = new CopyOnWriteArrayList<>();

		@DelayedListener(queue = "welcome")
		void mail(Welcome welcome, DelayedMessage<Welcome> delayed, @Header("source") String source,
				Message<Welcome> message) {
			this.received.addAll(List.of(welcome, delayed.id(), source, message.getPayload()));
		}

	}

}
