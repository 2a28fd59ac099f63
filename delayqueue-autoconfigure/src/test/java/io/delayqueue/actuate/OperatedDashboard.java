package io.delayqueue.actuate;

import io.delayqueue.actuate.fixture.Browser;
import io.delayqueue.actuate.fixture.Operating;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The dashboard of one application in a browser, for all tests of a class. Each test
 * fails if the browser reports an error.
 */
final class OperatedDashboard implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {

	/** The names of the messages in the table of a page. */
	static final String NAMES = "main table td.name";

	Operating operating;

	Browser browser;

	@Override
	public void beforeAll(ExtensionContext context) {
		this.operating = Operating.start(SharedRedis.get().uri(), "management.endpoint.delayqueue.show-payloads=always",
				"delayqueue.queues.told.history.for=7d", "delayqueue.queues.told.back-off.first=1ms");
		this.browser = Browser.start(this.operating.application);
		this.browser.open("");
	}

	@Override
	public void afterEach(ExtensionContext context) {
		assertThat(this.browser.complaints()).isEmpty();
	}

	@Override
	public void afterAll(ExtensionContext context) {
		this.browser.close();
		this.operating.close();
	}

}
