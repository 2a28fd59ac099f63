package io.delayqueue.example.readme;

import io.delayqueue.example.readme.Reports.Partner;
import io.delayqueue.test.AutoConfigureDelayQueueTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.MediaType;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.client.RestTestClient;

import static org.assertj.core.api.Assertions.assertThat;

/** With the access left out the page only shows. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = "management.endpoints.web.exposure.include=health,delayqueue,delayqueuedashboard")
@AutoConfigureDelayQueueTest
@MockitoBean(types = Partner.class)
class ReadOnlyDashboardTests {

	private RestTestClient client;

	@BeforeEach
	void client(@LocalServerPort int port) {
		this.client = RestTestClient.bindToServer().baseUrl("http://localhost:" + port).build();
	}

	@Test
	void thePageIsThere() {
		this.client.get()
			.uri("/actuator/delayqueuedashboard")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody(String.class)
			.value((page) -> assertThat(page).contains("data-access=\"read-only\""));
	}

	@Test
	void queuesAreLeftAlone() {
		this.client.post()
			.uri("/actuator/delayqueue/order-timeout/pause")
			.contentType(MediaType.APPLICATION_JSON)
			.body("{}")
			.exchange()
			.expectStatus()
			.isEqualTo(405);
	}

}
