package io.delayqueue.sample.orders;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.outbox.DelayQueueOutboxAdmin;
import io.delayqueue.sample.SampleClient;
import io.delayqueue.sample.SampleClient.Answer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.TestPropertySource;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The same interface, with orders in a database. */
@ActiveProfiles("database")
@TestPropertySource(properties = { "spring.datasource.url=jdbc:h2:mem:orders;MODE=PostgreSQL;DB_CLOSE_DELAY=-1",
		"management.endpoint.delayqueueoutbox.access=unrestricted" })
class OrdersInDatabaseIntegrationTests extends OrdersIntegrationTests {

	private static final String OUTBOX = "/actuator/delayqueueoutbox";

	@LocalServerPort
	private int port;

	@Autowired
	private Orders orders;

	@Autowired
	private JdbcClient database;

	@Autowired
	private TransactionTemplate transaction;

	@Autowired
	private DelayQueueOutboxAdmin outbox;

	@Autowired
	private DelayQueueOperations delayQueue;

	@AfterEach
	void noRowHasFailed() {
		awaitOutbox();
		assertThat(this.outbox.failed(0, 1)).isEmpty();
	}

	@Override
	void awaitOutbox() {
		await().until(() -> rows() == 0);
	}

	@Test
	void aRollbackLeavesNeitherOrderNorTimeout() {
		String id = "o:" + UUID.randomUUID();
		this.transaction.executeWithoutResult((transaction) -> {
			this.orders.place(id, id, Duration.ofMinutes(2));
			assertThat(this.orders.find(id)).isNotNull();
			assertThat(rows()).isEqualTo(1);
			transaction.setRollbackOnly();
		});
		assertThat(this.orders.find(id)).isNull();
		assertThat(rows()).isZero();
		assertThat(this.delayQueue.find(OrderTimeouts.QUEUE, id)).isEmpty();
	}

	/**
	 * The timeout of an order may arrive before the cancellation that made room for it.
	 */
	@Test
	void redisDoesNotRefuseTheTimeoutOfAFourthOrder() {
		String user = "user-" + UUID.randomUUID();
		for (int i = 0; i < 4; i++) {
			Order order = new Order(user + ":" + i, user, Order.Status.UNPAID, this.orders.now().plusSeconds(120), null,
					null, false);
			assertThat(this.delayQueue.schedule(OrderTimeouts.of(order)).id()).isEqualTo(order.id());
		}
	}

	@Test
	void theEndpointShowsTheOutbox() {
		Answer shown = new SampleClient(this.port).get(OUTBOX);
		assertThat(shown.status()).isEqualTo(200);
		assertThat(shown.body().get("failed").asInt()).isZero();
	}

	/** The fields that the script of the dashboard reads are those of the endpoint. */
	@Test
	void theEndpointAnswersWhatTheDashboardReads() throws IOException {
		SampleClient client = new SampleClient(this.port);
		JsonNode outbox = client.get(OUTBOX).body();
		assertThat(fields("outbox")).isNotEmpty().allSatisfy((field) -> assertThat(outbox.has(field)).isTrue());
		JsonNode row = failedRow();
		assertThat(fields("one")).contains("row")
			.allSatisfy((field) -> assertThat(row.hasNonNull(field)).as(field).isTrue());
		assertThat(row.get("key").get("queue").asString()).isEqualTo(OrderTimeouts.QUEUE);
		assertThat(row.get("key").get("id").asString()).isEqualTo("malformed");
		assertThat(client.delete(OUTBOX + "/" + row.get("row").asLong()).status()).isEqualTo(200);
		assertThat(rows()).isZero();
	}

	@Test
	void theEndpointRetriesAFailedRowAndKnowsNoOther() {
		SampleClient client = new SampleClient(this.port);
		long row = failedRow().get("row").asLong();
		assertThat(client.post(OUTBOX + "/" + row, "{}").status()).isEqualTo(200);
		assertThat(failedRow().get("row").asLong()).isEqualTo(row);
		assertThat(client.delete(OUTBOX + "/" + row).status()).isEqualTo(200);
		for (Answer unknown : List.of(client.post(OUTBOX + "/" + row, "{}"), client.delete(OUTBOX + "/" + row))) {
			assertThat(unknown.status()).isEqualTo(404);
			assertThat(unknown.text("title")).startsWith("The outbox has no failed row with this number");
		}
	}

	/** A browser sends such requests for a page of any site. */
	@Test
	void theEndpointRetriesNoRowWithoutJson() {
		SampleClient client = new SampleClient(this.port);
		String row = OUTBOX + "/" + failedRow().get("row").asLong();
		assertThat(client.post(row).status()).isEqualTo(415);
		for (String type : List.of("text/plain", "application/x-www-form-urlencoded")) {
			assertThat(client.post(row, "", type).status()).isEqualTo(415);
		}
		assertThat(client.delete(row).status()).isEqualTo(200);
	}

	/** The failed row, which is written unless there is one already. */
	private JsonNode failedRow() {
		if (rows() == 0) {
			this.database
				.sql("INSERT INTO delayqueue_outbox (kind, queue, message_id, token, created_at, next_attempt_at)"
						+ " VALUES ('UNKNOWN', ?, 'malformed', 'x', CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)")
				.param(OrderTimeouts.QUEUE)
				.update();
		}
		SampleClient client = new SampleClient(this.port);
		return await().until(() -> client.get(OUTBOX).body().get("rows").path(0), (row) -> !row.isMissingNode());
	}

	private static List<String> fields(String variable) throws IOException {
		String script = new ClassPathResource("io/delayqueue/actuate/dashboard/outbox.js")
			.getContentAsString(StandardCharsets.UTF_8);
		return Pattern.compile("(?<![.\\w])" + variable + "\\.(?!problem)(\\w+)")
			.matcher(script)
			.results()
			.map((field) -> field.group(1))
			.distinct()
			.toList();
	}

	private int rows() {
		return this.database.sql("SELECT COUNT(*) FROM delayqueue_outbox").query(Integer.class).single();
	}

}
