package io.delayqueue.actuate;

import java.util.List;
import java.util.logging.Level;

import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.remote.RemoteWebDriver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Somebody who looks at the dashboard of an application. Waits for what is to be seen,
 * never for a time.
 */
final class Browser implements AutoCloseable {

	private final Chromium chromium = Chromium.start();

	private final RemoteWebDriver driver = this.chromium.driver();

	private String page;

	private Browser() {
	}

	static Browser start() {
		return new Browser();
	}

	static Browser start(WebApplication application) {
		Browser browser = start();
		browser.look(application);
		return browser;
	}

	/** Turns to another application. */
	void look(WebApplication application) {
		this.page = application.url("/actuator/delayqueuedashboard");
	}

	RemoteWebDriver driver() {
		return this.driver;
	}

	Chromium chromium() {
		return this.chromium;
	}

	/** Loads the page. */
	void open(String hash) {
		this.driver.get("about:blank");
		this.driver.get(this.page + hash);
	}

	/** Goes to another view, as a link would. */
	void go(String route) {
		this.driver.executeScript(
				"const route = '#/' + arguments[0]; if (location.hash !== route) {"
						+ "document.getElementById('main').removeAttribute('aria-busy'); location.hash = route }",
				route);
		await().until(() -> (Boolean) this.driver
			.executeScript("return document.getElementById('main').getAttribute('aria-busy') === 'false'"));
	}

	/** How high the view is on a screen of some width. */
	int heightAt(int width) {
		this.chromium.screen(width, 800);
		return ((Number) this.driver.executeScript("return document.documentElement.scrollHeight")).intValue();
	}

	WebElement find(String selector) {
		return await().ignoreExceptions()
			.until(() -> this.driver.findElement(By.cssSelector(selector)), (element) -> true);
	}

	List<String> texts(String selector) {
		return this.driver.findElements(By.cssSelector(selector)).stream().map(WebElement::getText).toList();
	}

	/** Presses a button or a link, which may be drawn anew at any moment. */
	void click(String selector) {
		await().ignoreExceptions().until(() -> {
			this.driver.findElement(By.cssSelector(selector)).click();
			return true;
		});
	}

	/** Presses the one that has exactly this text. */
	void clickText(String selector, String text) {
		await().ignoreExceptions()
			.until(() -> (Boolean) this.driver.executeScript(
					"const found = [...document.querySelectorAll(arguments[0])]"
							+ ".find((one) => one.textContent === arguments[1]); found.click(); return true",
					selector, text));
	}

	/** Puts the page into another one. */
	void frame() {
		this.driver.get(this.page.replaceAll("/[^/]*$", "/health"));
		this.driver.executeScript("const frame = document.createElement('iframe'); frame.src = arguments[0];"
				+ "document.documentElement.append(frame)", this.page);
	}

	void press(CharSequence... keys) {
		this.driver.switchTo().activeElement().sendKeys(keys);
	}

	void enter(String selector, String text) {
		find(selector).sendKeys(Keys.chord(Keys.CONTROL, "a"), text);
	}

	/** All texts as they stand in the page, with every space. */
	List<String> contents(String selector) {
		return ((List<?>) this.driver.executeScript(
				"return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)", selector))
			.stream()
			.map(String::valueOf)
			.toList();
	}

	void awaitContent(String selector, String content) {
		await().ignoreExceptions().untilAsserted(() -> assertThat(contents(selector)).containsExactly(content));
	}

	/** Waits until a part of the page has some words. */
	void awaitText(String selector, String... words) {
		await().ignoreExceptions()
			.untilAsserted(() -> assertThat(this.driver.findElement(By.cssSelector(selector)).getText())
				.as(() -> "The page is: " + find("body").getText())
				.contains(words));
	}

	void awaitTexts(String selector, String... texts) {
		await().ignoreExceptions().untilAsserted(() -> assertThat(texts(selector)).containsExactly(texts));
	}

	void awaitNone(String selector) {
		await().until(() -> this.driver.findElements(By.cssSelector(selector)).isEmpty());
	}

	/**
	 * What the browser complains of, since it was asked before, but for answers that are
	 * no success.
	 */
	List<String> complaints() {
		return this.driver.manage()
			.logs()
			.get(LogType.BROWSER)
			.getAll()
			.stream()
			.filter((entry) -> entry.getLevel().intValue() >= Level.WARNING.intValue())
			.map(LogEntry::getMessage)
			.filter((message) -> !message.contains("Failed to load resource"))
			.toList();
	}

	@Override
	public void close() {
		this.chromium.close();
	}

}
