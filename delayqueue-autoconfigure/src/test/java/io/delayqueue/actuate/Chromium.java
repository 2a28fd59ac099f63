package io.delayqueue.actuate;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.delayqueue.test.redis.ChildProcess;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.remote.RemoteWebDriver;
import tools.jackson.databind.json.JsonMapper;

import static org.awaitility.Awaitility.await;

/**
 * A Chromium without a window, and the driver that steers it. Both are those that the
 * environment names, else those of the {@code PATH}. They end with this JVM, however it
 * ends: the driver is a watched child process, and the browser hangs on a pipe to the
 * driver.
 */
final class Chromium implements AutoCloseable {

	private static final String BROWSER = "DELAYQUEUE_TEST_CHROMIUM";

	private static final String DRIVER = "DELAYQUEUE_TEST_CHROMEDRIVER";

	private static final Duration LIMIT = Duration.ofMinutes(2);

	private static final Pattern PORT = Pattern.compile("started successfully on port (\\d+)");

	private static final JsonMapper json = JsonMapper.builder().build();

	private final HttpClient http = HttpClient.newHttpClient();

	private final ChildProcess process;

	private final Path log;

	private final URI address;

	private final RemoteWebDriver driver;

	private Chromium(ChildProcess process, Path log, URI address, RemoteWebDriver driver) {
		this.process = process;
		this.log = log;
		this.address = address;
		this.driver = driver;
	}

	static Chromium start() {
		Path browser = program(BROWSER, "chromium");
		Path program = program(DRIVER, "chromedriver");
		try {
			Path log = Files.createTempFile("chromedriver", ".log");
			ChildProcess process = ChildProcess.start(List.of(program.toString(), "--port=0"), log);
			try {
				await().until(() -> !process.isAlive() || PORT.matcher(Files.readString(log)).find());
				URI address = address(Files.readString(log));
				return new Chromium(process, log, address, driver(browser, address));
			}
			catch (RuntimeException failure) {
				process.close();
				throw new IllegalStateException("Chromium does not start: " + Files.readString(log), failure);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static URI address(String log) {
		Matcher port = PORT.matcher(log);
		if (!port.find()) {
			throw new IllegalStateException("The driver has ended");
		}
		return URI.create("http://localhost:" + port.group(1));
	}

	private static RemoteWebDriver driver(Path browser, URI address) throws MalformedURLException {
		LoggingPreferences console = new LoggingPreferences();
		console.enable(LogType.BROWSER, Level.ALL);
		ChromeOptions options = new ChromeOptions();
		options.setBinary(browser.toString());
		options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
				"--remote-debugging-pipe", "--hide-scrollbars", "--lang=en", "--window-size=1280,900");
		options.setCapability("goog:loggingPrefs", console);
		return new RemoteWebDriver(address.toURL(), options);
	}

	RemoteWebDriver driver() {
		return this.driver;
	}

	/** Pretends to be a screen of another size, smaller than any window may be too. */
	void screen(int width, int height) {
		command("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
	}

	void darkMode(boolean dark) {
		command("Emulation.setEmulatedMedia",
				Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
	}

	/** Gives a command of the protocol that developer tools speak. */
	private void command(String name, Map<String, ?> parameters) {
		HttpRequest request = HttpRequest
			.newBuilder(this.address.resolve("/session/" + this.driver.getSessionId() + "/goog/cdp/execute"))
			.timeout(LIMIT)
			.POST(BodyPublishers.ofString(json.writeValueAsString(Map.of("cmd", name, "params", parameters))))
			.build();
		try {
			HttpResponse<String> answer = this.http.send(request, BodyHandlers.ofString());
			if (answer.statusCode() != 200) {
				throw new IllegalStateException(answer.body());
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		try {
			this.driver.quit();
		}
		finally {
			this.process.close();
			try {
				Files.deleteIfExists(this.log);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	/** Whether both are here; what the environment names has to be. */
	static boolean isInstalled() {
		return isInstalled(BROWSER, "chromium") && isInstalled(DRIVER, "chromedriver");
	}

	private static boolean isInstalled(String variable, String name) {
		return named(variable) != null || onPath(name) != null;
	}

	private static Path program(String variable, String name) {
		Path named = named(variable);
		return (named != null) ? named : Objects.requireNonNull(onPath(name), name);
	}

	private static @Nullable Path named(String variable) {
		String named = System.getenv(variable);
		return (named != null && !named.isBlank()) ? Path.of(named) : null;
	}

	private static @Nullable Path onPath(String name) {
		return Stream.of(System.getenv("PATH").split(File.pathSeparator))
			.map((directory) -> Path.of(directory, name))
			.filter(Files::isExecutable)
			.findFirst()
			.orElse(null);
	}

}
