package io.delayqueue.sample.documents;

import java.nio.file.Path;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Every command of docs/endpoint-and-health.md runs as it stands. */
class EndpointCommandsIntegrationTests {

	private static final Document DOCUMENT = Document.read("docs/endpoint-and-health.md");

	@TempDir
	private Path home;

	@Test
	void commandsOperateTheQueue() {
		try (Terminal terminal = new Terminal(DOCUMENT, this.home)) {
			terminal.startSample("--management.endpoint.delayqueue.access=unrestricted");

			// without a password curl reads it from the terminal; AccessIntegrationTests
			// checks permissions
			Commands redrive = DOCUMENT.shell("Operations", 0).with("-u operator ", "-u operator:secret ");
			assertThat(terminal.run(redrive)).contains("\"reason\":\"HANDLER_FAILED\"", "\"limit\":500",
					"\"dryRun\":true", "\"count\":0");

			Commands edit = DOCUMENT.shell("Edit a dead letter", 0).with("-u operator ", "-u operator:secret ");
			assertThat(terminal.refused(edit)).contains("\"type\":\"urn:delayqueue:unknown-dead-letter\"");

			terminal.assertAllCommandsWereRun(Set.of());
		}
	}

}
