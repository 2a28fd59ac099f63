package io.delayqueue.sample;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.delayqueue.sample.SampleClient.Answer;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.redis.RedisServer;
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

/** Redis executes the commands, and a reply is lost. */
@Tag("slow")
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "delayqueue.sweeper.interval=10s")
@DirtiesContext
class LostRepliesToAllIntegrationTests {

	private static final int CALLS = 20;

	private static final RedisServer redis = RedisServer.builder().start();

	private static final FaultProxy proxy = FaultProxy.to(redis);

	@LocalServerPort
	private int port;

	@DynamicPropertySource
	static void useRedis(DynamicPropertyRegistry registry) {
		registry.add("spring.data.redis.url", proxy::uri);
	}

	@AfterAll
	static void stopRedis() {
		proxy.close();
		redis.close();
	}

	@Test
	void callsAreCarriedOutOnceIfAReplyIsLost() {
		SampleClient client = new SampleClient(this.port);
		List<Integer> started = new ArrayList<>();
		List<Integer> set = new ArrayList<>();
		List<Integer> deleted = new ArrayList<>();
		List<Integer> added = new ArrayList<>();
		for (int i = 0; i < CALLS; i++) {
			String id = "i" + i;
			started.add(cutOff(
					() -> client.post("/callbacks", "{\"id\":\"%s\",\"url\":\"http://127.0.0.1:1/\"}".formatted(id))));
			set.add(cutOff(() -> client.post("/pushes",
					"{\"id\":\"%s\",\"at\":\"2035-01-01T00:00:00Z\",\"text\":\"\"}".formatted(id))));
			deleted.add(cutOff(() -> client.delete("/pushes/" + id)));
			added.add(cutOff(
					() -> client.post("/timeline", "{\"user\":\"u\",\"msgId\":\"1%s\"}".formatted(id.substring(1)))));
			cutOff(() -> client.post("/reports", "{\"game\":\"g\",\"behaviour\":\"jump\"}"));
		}
		assertThat(started).containsOnly(202);
		assertThat(set).containsOnly(201);
		assertThat(deleted).containsOnly(204);
		assertThat(added).containsOnly(201);
		await().until(() -> client.get("/timeline/u?limit=1000").body().get("messages").size() == CALLS);
		await().until(() -> client.get("/reports/stats").body().at("/games/g/reported").asInt() == CALLS);
		assertThat(client.get("/reports/stats").body().at("/games/g/accepted").asInt()).isEqualTo(CALLS);
	}

	private static int cutOff(Supplier<Answer> call) {
		proxy.cutNextReply();
		return call.get().status();
	}

}
