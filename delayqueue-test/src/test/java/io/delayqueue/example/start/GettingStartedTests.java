package io.delayqueue.example.start;

import java.time.Duration;

import io.delayqueue.example.DocumentedCalls;
import io.delayqueue.example.DocumentedCalls.Answer;
import io.delayqueue.test.AutoConfigureDelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import org.junit.jupiter.api.Test;
import org.skyscreamer.jsonassert.JSONAssert;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/** The guide's settings are valid, and its calls get the responses that it shows. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "spring.application.name=newcomer",
				"spring.config.location=classpath:guides/getting-started.yml" })
@AutoConfigureDelayQueueTest
class GettingStartedTests {

	@MockitoBean
	private Mails mails;

	@Test
	void theCallsShowAndRescheduleTheMessage(@Autowired SignUp signUp, @Autowired DelayQueueTime time,
			@LocalServerPort int port) throws Exception {
		DocumentedCalls calls = DocumentedCalls.of("getting-started", port);
		signUp.register("u-1", "ann@example.com");

		Answer seen = calls.get(0).send();
		assertThat(seen.status()).isEqualTo(200);
		JSONAssert.assertEquals(calls.json(0), seen.body(), false);
		verify(this.mails, never()).send(any(), any());

		Answer moved = calls.get(1).send();
		assertThat(moved.status()).as(moved.body()).isEqualTo(200);
		time.advance(Duration.ZERO);
		verify(this.mails).send(eq("ann@example.com"), any());
		assertThat(calls.size()).isEqualTo(2);
	}

}
