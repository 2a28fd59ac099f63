package io.delayqueue.outbox;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.outbox.autoconfigure.DelayQueueOutboxAutoConfiguration;
import io.delayqueue.outbox.fixture.TestDatabase;
import io.delayqueue.outbox.jdbc.OutboxSettings;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class OutboxConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, DataRedisAutoConfiguration.class,
				DelayQueueAutoConfiguration.class, DelayQueueOutboxAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.port=1", "delayqueue.startup-checks=off");

	@Test
	void anOutboxNeedsADataSource() {
		this.runner.run((context) -> assertThat(context).hasSingleBean(DelayQueueOutbox.class));
		this.runner.withPropertyValues("delayqueue.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(DelayQueueOutbox.class));
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class,
					DelayQueueAutoConfiguration.class, DelayQueueOutboxAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.port=1", "delayqueue.startup-checks=off")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(DelayQueueOutbox.class));
	}

	@Test
	void anInvalidPropertyPreventsTheStart() {
		assertFault("delayqueue.outbox.window=soon", "delayqueue.outbox.window");
		assertFault("delayqueue.outbox.windo=1h", "delayqueue.outbox.windo");
		assertFault("delayqueue.outbox.window=8d", "window is 8d");
		assertFault("delayqueue.outbox.table-name=drop table", "table-name is 'drop table'");
	}

	private void assertFault(String property, String expected) {
		this.runner.withPropertyValues("spring.datasource.url=" + TestDatabase.H2.create(), property)
			.run((context) -> assertThat(context).getFailure().satisfies((failure) -> {
				List<String> messages = new ArrayList<>();
				for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
					messages.add(String.valueOf(cause));
				}
				assertThat(messages).anySatisfy((message) -> assertThat(message).contains(expected));
			}));
	}

	@Test
	void allFaultsAreReportedAtOnce() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> new OutboxSettings("", Duration.ZERO, 0, Duration.ZERO, Duration.ZERO, Duration.ZERO))
			.withMessageContainingAll("table-name", "window", "batch-size", "poll-interval", "claim-timeout",
					"max-back-off");
	}

	@Test
	void everyPropertyIsDescribedAndDocumentedWithItsDefault() throws IOException {
		String documented = Files.readString(Path.of("../docs/properties.md"));
		JsonNode properties;
		try (InputStream file = getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
			properties = JsonMapper.builder().build().readTree(file).get("properties");
		}
		List<JsonNode> own = properties.valueStream()
			.filter((property) -> property.get("name").asString().startsWith("delayqueue.outbox."))
			.toList();
		assertThat(own).hasSize(7).allSatisfy((property) -> {
			assertThat(property.get("description").asString()).matches("\\p{Lu}.*\\.");
			assertThat(documented).contains("| `" + property.get("name").asString() + "` | `"
					+ property.get("defaultValue").asString() + "` |");
		});
	}

}
