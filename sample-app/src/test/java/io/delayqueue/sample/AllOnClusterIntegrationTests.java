package io.delayqueue.sample;

import java.util.function.BooleanSupplier;

import io.delayqueue.test.fault.RedisCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Every feature on a cluster, where the keys of one script must share a slot. */
@Tag("slow")
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@DirtiesContext
class AllOnClusterIntegrationTests {

	private static final RedisCluster cluster = RedisCluster.builder().masters(3).start();

	@LocalServerPort
	private int port;

	@DynamicPropertySource
	static void useRedis(DynamicPropertyRegistry registry) {
		registry.add("spring.data.redis.cluster.nodes", () -> String.join(",", cluster.addresses()));
	}

	@AfterAll
	static void stopRedis() {
		cluster.close();
	}

	@Test
	void everyFeatureWorks() {
		SampleClient client = new SampleClient(this.port);
		for (int i = 0; i < 10; i++) {
			String id = "i" + i;
			// the actuator of the sample responds to a POST with 405
			assertThat(
					client
						.post("/callbacks",
								"{\"id\":\"%s\",\"url\":\"http://127.0.0.1:%s/actuator/health\"}".formatted(id,
										this.port))
						.status())
				.isEqualTo(202);
			assertThat(client
				.post("/pushes", "{\"id\":\"%s\",\"at\":\"2020-01-01T00:00:00Z\",\"text\":\"t\"}".formatted(id))
				.status()).isEqualTo(201);
			assertThat(client
				.post("/pushes", "{\"id\":\"%s-later\",\"at\":\"2035-01-01T00:00:00Z\",\"text\":\"t\"}".formatted(id))
				.status()).isEqualTo(201);
			assertThat(client.delete("/pushes/" + id + "-later").status()).isEqualTo(204);
			assertThat(client.post("/timeline", "{\"user\":\"%s\",\"msgId\":%s}".formatted(id, i)).status())
				.isEqualTo(201);
			assertThat(
					client.post("/reports/bulk", "[{\"game\":\"%s\",\"behaviour\":\"jump\"}]".formatted(id)).status())
				.isEqualTo(202);
		}
		for (int i = 0; i < 10; i++) {
			String id = "i" + i;
			int number = i;
			awaitThat(() -> client.get("/callbacks/" + id).text("lastAnswer").equals("405"));
			awaitThat(() -> !client.get("/pushes/" + id).text("deliveredAt").isEmpty());
			awaitThat(() -> client.get("/timeline/" + id + "/" + number).status() == 200);
			assertThat(client.get("/timeline/" + id).body().get("messages").size()).isEqualTo(1);
			awaitThat(() -> client.get("/reports/stats").body().at("/games/" + id + "/reported").asInt() == 1);
		}
	}

	private static void awaitThat(BooleanSupplier condition) {
		await().until(condition::getAsBoolean);
	}

}
