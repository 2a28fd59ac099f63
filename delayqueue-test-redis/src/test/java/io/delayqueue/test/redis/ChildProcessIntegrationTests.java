package io.delayqueue.test.redis;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class ChildProcessIntegrationTests {

	@TempDir
	private Path directory;

	@Test
	void processReadsLinesAndIsSilentWhileFrozen() {
		try (ChildProcess cat = ChildProcess.start(List.of("cat"), log())) {
			cat.writeLine("one");
			awaitLog("one");

			cat.freeze();
			cat.writeLine("two");
			assertThat(cat.isAlive()).isTrue();
			assertThat(Directories.tail(log(), 5)).isEqualToIgnoringWhitespace("one");

			cat.resume();
			awaitLog("two");
		}
	}

	@Test
	void terminatedProcessMayFinishAndStillReadsInput() {
		String untilSignalled = "trap 'read -r line; echo \"$line\"; exit 3' TERM; echo ready; while :; do sleep 0.05; done";
		try (ChildProcess shell = ChildProcess.start(List.of("sh", "-c", untilSignalled), log())) {
			awaitLog("ready");
			shell.terminate();
			shell.writeLine("finish");

			assertThat(shell.awaitEnd(Await.LIMIT)).isEqualTo(3);
			assertThat(Directories.tail(log(), 5)).contains("finish");
		}
	}

	@Test
	void frozenProcessCanBeKilled() {
		ChildProcess cat = ChildProcess.start(List.of("cat"), log());
		cat.freeze();

		cat.kill();

		assertThat(cat.isAlive()).isFalse();
	}

	private Path log() {
		return this.directory.resolve("log");
	}

	private void awaitLog(String text) {
		Await.until(Await.LIMIT, () -> "Not in the log: " + text, () -> Directories.tail(log(), 5).contains(text));
	}

}
