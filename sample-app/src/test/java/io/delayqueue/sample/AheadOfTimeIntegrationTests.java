package io.delayqueue.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

import io.delayqueue.sample.SampleClient.Answer;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.context.aot.AbstractAotProcessor.Settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The sample after ahead-of-time processing, as by {@code spring-boot:process-aot}, in a
 * separate JVM that creates its beans from the generated code only.
 */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class AheadOfTimeIntegrationTests {

	@TempDir
	private static Path temporary;

	private static Path sources;

	private static Path classes;

	@BeforeAll
	static void process() {
		sources = temporary.resolve("sources");
		classes = temporary.resolve("classes");
		Settings settings = Settings.builder()
			.sourceOutput(sources)
			.resourceOutput(classes)
			.classOutput(classes)
			.groupId("io.delayqueue")
			.artifactId("sample-app")
			.build();
		// The condition for the own Redis server is evaluated here; the address is not
		// used
		String[] arguments = { "--spring.data.redis.url=redis://unused" };
		new SpringApplicationAotProcessor(SampleApplication.class, settings, arguments).process();
	}

	@Test
	void anUnpaidOrderIsCancelled() throws IOException {
		compile();
		try (RedisServer redis = RedisServer.builder().start();
				SampleProcess sample = SampleProcess.startProcessed(temporary.resolve("log"), classes,
						"--spring.data.redis.url=" + redis.uri())) {
			assertThat(sample.log()).contains("Starting AOT-processed SampleApplication");
			SampleClient client = sample.client();
			assertThat(client.placeOrder("o-1", "user", Duration.ofMillis(300)).status()).isEqualTo(201);
			await().until(() -> client.get("/orders/o-1").text("closedBy").equals("TIMEOUT"));
			Answer queue = client.get("/actuator/delayqueue/order-timeout");
			assertThat(queue.body().get("listeners")).hasSize(1);
			assertThat(client.get("/actuator/health").text("status")).isEqualTo("UP");
		}
	}

	@Test
	void classPathResourcesHaveHints() {
		Path metadata = classes.resolve("META-INF/native-image/io.delayqueue/sample-app/reachability-metadata.json");
		assertThat(JsonMapper.shared().readTree(metadata).get("resources").findValuesAsString("glob")).contains(
				"io/delayqueue/store/*.lua", "io/delayqueue/store/part/*.lua", "io/delayqueue/actuate/dashboard/*",
				"io/delayqueue/sample/*/*.lua");
	}

	private static void compile() throws IOException {
		try (Stream<Path> files = Files.walk(sources)) {
			Stream<String> options = Stream.of("-d", classes.toString(), "-cp", System.getProperty("java.class.path"),
					"-parameters", "-proc:none", "-nowarn");
			Stream<String> generated = files.map(Path::toString).filter((file) -> file.endsWith(".java"));
			int result = ToolProvider.findFirst("javac")
				.orElseThrow()
				.run(System.out, System.err, Stream.concat(options, generated).toArray(String[]::new));
			assertThat(result).isZero();
		}
	}

}
