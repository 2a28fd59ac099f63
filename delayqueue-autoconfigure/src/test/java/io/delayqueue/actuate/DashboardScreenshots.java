package io.delayqueue.actuate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.OutputType;

import static org.awaitility.Awaitility.await;

/**
 * Takes the pictures of the dashboard that the README shows. No test, so it runs only if
 * asked for: {@code -Dtest=DashboardScreenshots}; they lie in {@code target/screenshots}.
 */
class DashboardScreenshots {

	private static final Path PICTURES = Path.of("target", "screenshots");

	private static final int SECONDS = 30;

	@Test
	void takeThem() throws IOException {
		Files.createDirectories(PICTURES);
		try (RedisServer redis = RedisServer.builder().start();
				DashboardDemo demo = DashboardDemo.start(redis.uri());
				Browser browser = Browser.start(demo.application)) {
			browser.open("#/");
			for (int second = 0; second < SECONDS; second++) {
				demo.tick(second);
				await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
				browser.press("r");
			}
			takeAll(browser, "overview", "");
			takeAll(browser, "queue", "queues/order-timeout");
			takeAll(browser, "message", "queues/cart-nudge/messages/cart-77");
			takeAll(browser, "dead-letters", "queues/callback/dead");
			takeAll(browser, "nobody", "queues/push-delivery");
		}
	}

	private static void takeAll(Browser browser, String name, String route) throws IOException {
		browser.go(route);
		for (boolean dark : new boolean[] { false, true }) {
			browser.chromium().darkMode(dark);
			for (int width : new int[] { 1280, 390 }) {
				browser.chromium().screen(width, browser.heightAt(width));
				Path file = PICTURES.resolve(name + (dark ? "-dark-" : "-light-") + width + ".png");
				Files.write(file, browser.driver().getScreenshotAs(OutputType.BYTES));
			}
		}
		browser.chromium().screen(1280, 900);
	}

}
