package io.delayqueue.sample.operate;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

import io.delayqueue.sample.SampleClient;
import io.delayqueue.test.redis.TestRedis;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/** As it is started, the sample shows its queues and lets nobody change them. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@Import(TestRedis.class)
class LookingIntegrationTests {

	@LocalServerPort
	private int port;

	@Test
	void queuesAreShownAndStayAsTheyAre() {
		SampleClient client = new SampleClient(this.port);
		assertThat(client.get("/actuator/delayqueue/order-timeout").status()).isEqualTo(200);
		assertThat(client.post("/actuator/delayqueue/order-timeout/pause", "{}").status()).isEqualTo(405);
	}

	@Test
	void dashboardKnowsThatItOnlyShows() throws Exception {
		URI address = URI.create("http://127.0.0.1:" + this.port + "/actuator/delayqueuedashboard");
		HttpResponse<String> page = HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString());

		assertThat(page.statusCode()).isEqualTo(200);
		assertThat(page.headers().firstValue("Content-Security-Policy"))
			.hasValueSatisfying((policy) -> assertThat(policy).startsWith("default-src 'none'"));
		assertThat(page.body()).contains("data-access=\"read-only\"");
	}

}
