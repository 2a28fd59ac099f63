package io.delayqueue.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

import io.delayqueue.sample.SampleClient.Answer;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.context.aot.AbstractAotProcessor.Settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The sample processed ahead of time, as {@code spring-boot:process-aot} does it, in a
 * JVM of its own that knows its beans from the generated code alone.
 */
class AheadOfTimeIntegrationTests {

	@TempDir
	private Path temporary;

	@Test
	void anUnpaidOrderIsCancelled() throws IOException {
		Path processed = process();
		try (RedisServer redis = RedisServer.builder().start();
				SampleProcess sample = SampleProcess.startProcessed(this.temporary.resolve("log"), processed,
						"--spring.data.redis.url=" + redis.uri())) {
			assertThat(sample.log()).contains("Starting AOT-processed SampleApplication");
			SampleClient client = sample.client();
			assertThat(client.placeOrder("o-1", "user", Duration.ofMillis(300)).status()).isEqualTo(201);
			await().atMost(Duration.ofSeconds(30))
				.until(() -> client.get("/orders/o-1").text("closedBy").equals("TIMEOUT"));
			Answer queue = client.get("/actuator/delayqueue/order-timeout");
			assertThat(queue.body().get("listeners")).hasSize(1);
			assertThat(client.get("/actuator/health").text("status")).isEqualTo("UP");
		}
	}

	/** Where Redis is chosen is decided here: at a set address, which counts later. */
	private Path process() throws IOException {
		Path sources = this.temporary.resolve("sources");
		Path classes = this.temporary.resolve("classes");
		Settings settings = Settings.builder()
			.sourceOutput(sources)
			.resourceOutput(classes)
			.classOutput(classes)
			.groupId("io.delayqueue")
			.artifactId("sample-app")
			.build();
		new SpringApplicationAotProcessor(SampleApplication.class, settings,
				new String[] { "--spring.data.redis.url=redis://unused" })
			.process();
		try (Stream<Path> files = Files.walk(sources)) {
			Stream<String> options = Stream.of("-d", classes.toString(), "-cp", System.getProperty("java.class.path"),
					"-parameters", "-proc:none", "-nowarn");
			List<String> generated = files.map(Path::toString).filter((file) -> file.endsWith(".java")).toList();
			int result = ToolProvider.findFirst("javac")
				.orElseThrow()
				.run(System.out, System.err, Stream.concat(options, generated.stream()).toArray(String[]::new));
			assertThat(result).isZero();
		}
		return classes;
	}

}
