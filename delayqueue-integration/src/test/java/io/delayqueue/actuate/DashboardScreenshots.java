package io.delayqueue.actuate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Map;

import io.delayqueue.actuate.fixture.Browser;
import io.delayqueue.actuate.fixture.DashboardDemo;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;

import static org.awaitility.Awaitility.await;

/**
 * Takes screenshots of the dashboard into {@code target/screenshots} and copies those of
 * the README to {@code docs/images}. Not a test; runs only with
 * {@code -Dtest=DashboardScreenshots}.
 */
class DashboardScreenshots {

	private static final Path PICTURES = Path.of("target", "screenshots");

	private static final Map<String, String> SHOWN = Map.of("overview-light-1280", "overview", "queue-dark-1280",
			"queue", "dead-letters-light-1280", "dead-letters", "overview-dark-390", "phone");

	private static final int SECONDS = 40;

	@Test
	void takeScreenshots() throws IOException {
		Files.createDirectories(PICTURES);
		try (RedisServer redis = RedisServer.builder().start();
				DashboardDemo demo = DashboardDemo.start(redis.uri());
				Browser browser = Browser.start(demo.application)) {
			browser.open("#/");
			for (int second = 0; second < SECONDS; second++) {
				watch(demo, browser, second);
			}
			takeAll(browser, "overview", "");
			browser.go("queues/order-timeout");
			watch(demo, browser, SECONDS);
			takeAll(browser, "queue", "queues/order-timeout");
			takeAll(browser, "message", "queues/cart-nudge/messages/cart-77");
			browser.go("queues/callback/dead");
			browser.click("input[aria-label='Select partner-b-9002']");
			browser.click("input[aria-label='Select partner-a-9010']");
			takeAll(browser, "dead-letters", "queues/callback/dead");
			fillTrend(redis, demo.application.prefix() + ":{push-delivery:0}:trends");
			takeAll(browser, "trend", "queues/push-delivery");
			browser.go("queues/callback/messages/partner-b-9002");
			browser.click("#edit");
			takeAll(browser, "edit", "queues/callback/messages/partner-b-9002");
			browser.press(Keys.ESCAPE);
			browser.click(".timeline details[data-key=stack] summary");
			takeAll(browser, "dead-letter", "queues/callback/messages/partner-b-9002");
			takeAll(browser, "late", "queues/push-delivery");
			takeAll(browser, "recurring", "recurring");
			browser.go("queues/cart-nudge");
			browser.clickText(".tabs button", "Retries");
			takeAll(browser, "retries", "queues/cart-nudge");
		}
		for (Map.Entry<String, String> shown : SHOWN.entrySet()) {
			Files.copy(PICTURES.resolve(shown.getKey() + ".png"),
					Path.of("..", "docs", "images", "dashboard-" + shown.getValue() + ".png"),
					StandardCopyOption.REPLACE_EXISTING);
		}
	}

	/** Opens the views while handlers run. */
	private static void watch(DashboardDemo demo, Browser browser, int second) {
		demo.tick(second);
		await().pollDelay(Duration.ofMillis(300)).until(() -> true);
		browser.press("r");
		await().pollDelay(Duration.ofMillis(700)).until(() -> true);
	}

	/** A trend with a morning on which handlers fail and messages are late. */
	private static void fillTrend(RedisServer redis, String key) {
		long now = System.currentTimeMillis() / 1000;
		try (RespClient client = redis.client()) {
			Map.of(60, 60, 900, 96, 7200, 84).forEach((size, buckets) -> {
				for (long bucket = now / size - buckets + 1; bucket <= now / size; bucket++) {
					long age = now / size - bucket;
					boolean bad = age > buckets / 4 && age < buckets / 2;
					long handled = size * 4L + Math.round(size * 3 * Math.sin(bucket / 6.0));
					client.call("HSET", key, size + ":" + bucket % buckets,
							"%d s=%d h=%d f=%d d=%d w=%d l%d=90 l%d=9 l%d=1 m=%d".formatted(bucket, handled + 5,
									handled, bad ? handled / 5 : handled / 100, bad ? handled / 50 : 0,
									4000 + 40 * age + (bad ? 900 : 0), bad ? 36 : 20, bad ? 52 : 34, bad ? 60 : 40,
									bad ? 42_000 : 1_100));
				}
			});
		}
	}

	private static void takeAll(Browser browser, String name, String route) throws IOException {
		browser.go(route);
		for (boolean dark : new boolean[] { false, true }) {
			browser.chromium().darkMode(dark);
			for (int width : new int[] { 1280, 390 }) {
				int height = Math.min(browser.heightAt(width), (width > 1000) ? 640 : 940);
				browser.chromium().screen(width, height);
				if (name.equals("trend")) {
					browser.driver().executeScript("document.querySelector('.trend').scrollIntoView()");
				}
				Path file = PICTURES.resolve(name + (dark ? "-dark-" : "-light-") + width + ".png");
				Files.write(file, browser.driver().getScreenshotAs(OutputType.BYTES));
			}
		}
		browser.chromium().screen(1280, 900);
	}

}
