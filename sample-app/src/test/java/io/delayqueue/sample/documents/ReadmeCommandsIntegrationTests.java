package io.delayqueue.sample.documents;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Every command of the README runs as it stands. */
class ReadmeCommandsIntegrationTests {

	private static final Document DOCUMENT = Document.read("README.md");

	/** Runs this test, see .ci/run. */
	private static final Set<String> NOT_RUN_HERE = Set.of("mvn -B verify");

	@TempDir
	private Path home;

	@Test
	void commandsDoWhatTheReadmeSays() {
		try (Terminal terminal = new Terminal(DOCUMENT, this.home)) {
			assertThat(terminal.arguments(DOCUMENT.shell("Two commands", 0))).isEmpty();
			terminal.startSample("--management.endpoint.delayqueue.access=unrestricted");

			assertThat(terminal.run(DOCUMENT.shell("Two commands", 1))).contains("201", "\"status\":\"UNPAID\"");
			await().atMost(Duration.ofSeconds(60))
				.until(() -> terminal.run(DOCUMENT.inline("curl localhost:8080/orders/o-1")).contains("\"CANCELLED\""));
			assertThat(terminal.run(DOCUMENT.inline("curl localhost:8080/actuator/delayqueue")))
				.contains("\"name\":\"order-timeout\"");

			// curl would ask for the password; AccessIntegrationTests checks who may
			Commands redrive = DOCUMENT.shell("Looking at it", 0).with("-u operator ", "-u operator:secret ");
			assertThat(terminal.run(redrive)).contains("\"reason\":\"HANDLER_FAILED\"", "\"limit\":500",
					"\"dryRun\":true", "\"count\":0");

			terminal.assertNothingIsLeftOut(NOT_RUN_HERE);
		}
	}

}
