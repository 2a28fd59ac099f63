package io.delayqueue.sample.operate;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.delayqueue.sample.SampleClient;
import io.delayqueue.test.redis.TestRedis;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;

/** By default the sample shows its queues and rejects changes. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@Import(TestRedis.class)
class ReadOnlyEndpointIntegrationTests {

	private static final Pattern YAML = Pattern.compile("```yaml\\n(.*?)```", Pattern.DOTALL);

	@LocalServerPort
	private int port;

	@Test
	void queuesCanBeReadButNotOperated() {
		SampleClient client = new SampleClient(this.port);
		assertThat(client.get("/actuator/delayqueue/order-timeout").status()).isEqualTo(200);
		assertThat(client.post("/actuator/delayqueue/order-timeout/pause", "{}").status()).isEqualTo(405);
	}

	@Test
	void dashboardIsReadOnly() throws Exception {
		URI address = URI.create("http://127.0.0.1:" + this.port + "/actuator/delayqueuedashboard");
		HttpResponse<String> page = HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString());

		assertThat(page.statusCode()).isEqualTo(200);
		assertThat(page.headers().firstValue("Content-Security-Policy"))
			.hasValueSatisfying((policy) -> assertThat(policy).startsWith("default-src 'none'"));
		assertThat(page.body()).contains("data-access=\"read-only\"");
	}

	@Test
	void documentedScrapePathReturnsMeters() throws Exception {
		Path docs = Path.of("../docs");
		Matcher yaml = YAML.matcher(Files.readString(docs.resolve("meters-and-events.md")));
		assertThat(yaml.find()).isTrue();
		YamlPropertiesFactoryBean reader = new YamlPropertiesFactoryBean();
		reader.setResources(new ByteArrayResource(yaml.group(1).getBytes(StandardCharsets.UTF_8)));
		Properties settings = Objects.requireNonNull(reader.getObject());
		assertThat(settings.getProperty("scrape_configs[0].static_configs[0].targets[0]")).isEqualTo("localhost:8080");
		URI address = URI
			.create("http://127.0.0.1:" + this.port + settings.getProperty("scrape_configs[0].metrics_path"));
		HttpResponse<String> meters = HttpClient.newHttpClient()
			.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString());
		assertThat(meters.statusCode()).isEqualTo(200);
		assertThat(meters.body()).contains("\ndelayqueue_messages{queue=\"order-timeout\"");
		assertThat(docs.resolve("observability").resolve(settings.getProperty("rule_files[0]"))).isRegularFile();
	}

}
