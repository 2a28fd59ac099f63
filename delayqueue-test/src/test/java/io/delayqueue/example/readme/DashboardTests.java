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

/**
 * With the settings of docs/dashboard.md the page is served, and queues can be operated.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = "spring.config.location=classpath:guides/readme.yml")
@AutoConfigureDelayQueueTest
@MockitoBean(types = Partner.class)
class DashboardTests {

	private RestTestClient client;

	@BeforeEach
	void client(@LocalServerPort int port) {
		this.client = RestTestClient.bindToServer().baseUrl("http://localhost:" + port).build();
	}

	@Test
	void thePageIsAvailable() {
		this.client.get()
			.uri("/actuator/delayqueuedashboard")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody(String.class)
			.value((page) -> assertThat(page).contains("data-access=\"unrestricted\""));
	}

	@Test
	void queuesAreOperated() {
		this.client.post()
			.uri("/actuator/delayqueue/order-timeout/pause")
			.contentType(MediaType.APPLICATION_JSON)
			.body("{}")
			.exchange()
			.expectStatus()
			.isOk();
	}

}
