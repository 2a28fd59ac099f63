package io.delayqueue.test.redis;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;

/**
 * Reports at the end of a test run which Redis servers the tests used: on the standard
 * output, and in the file that the system property {@value #FILE_PROPERTY} names, if the
 * property is set. The JUnit Platform finds this class automatically.
 */
public final class RedisReport implements TestExecutionListener {

	/** The system property that contains the path of the file for the report. */
	public static final String FILE_PROPERTY = "delayqueue.test.redis.report";

	private final PrintStream out;

	/**
	 * Creates the listener.
	 */
	public RedisReport() {
		this(System.out);
	}

	RedisReport(PrintStream out) {
		this.out = out;
	}

	@Override
	public void testPlanExecutionFinished(TestPlan testPlan) {
		report(UsedServers.descriptions(), System.getProperty(FILE_PROPERTY));
	}

	void report(List<String> servers, @Nullable String file) {
		if (servers.isEmpty()) {
			return;
		}
		String line = "Tests ran against: " + String.join(", ", servers);
		this.out.println(line);
		if (file != null && !file.isBlank()) {
			try {
				Path path = Path.of(file);
				Files.createDirectories(path.toAbsolutePath().getParent());
				Files.writeString(path, line + System.lineSeparator());
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

}
