package io.delayqueue.sample.callbacks;

import java.time.Duration;
import java.util.UUID;

import io.delayqueue.sample.SampleClient;
import io.delayqueue.sample.callbacks.PartnerServer.Call;
import io.delayqueue.test.AutoConfigureDelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import io.delayqueue.test.TestQueue;
import io.delayqueue.test.TestQueues;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

import static org.assertj.core.api.Assertions.assertThat;

/** The ten calls of three days, with a shifted clock. */
@Tag("slow")
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@AutoConfigureDelayQueueTest
class CallbacksLaterIntegrationTests {

	@Test
	void aPartnerThatNeverAnswersIsCalledTenTimesWithinEightyOneHours(@LocalServerPort int port,
			@Autowired DelayQueueTime time, @Autowired TestQueues queues) {
		String id = "c:" + UUID.randomUUID();
		SampleClient client = new SampleClient(port);
		TestQueue callbacks = queues.queue("callback");
		try (PartnerServer partners = new PartnerServer()) {
			String url = partners.answering(id, 500);
			client.post("/callbacks", "{\"id\":\"%s\",\"url\":\"%s\",\"unit\":\"PT1H\"}".formatted(id, url));

			time.advance(Duration.ofHours(80));
			assertThat(partners.calls(id)).hasSize(9);
			assertThat(callbacks).hasScheduled(id);

			// Each wait may be a little longer, because time also passes between the
			// attempts
			time.advance(Duration.ofHours(1).plusMinutes(1));
			assertThat(partners.calls(id)).extracting(Call::attempt).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
			assertThat(callbacks).message(id)
				.isDeadLetteredBecause("HANDLER_FAILED")
				.isDeadLetteredBecause(PartnerNotNotifiedException.class);
			assertThat(client.get("/callbacks/" + id).text("status")).isEqualTo("ABNORMAL");
		}
	}

}
