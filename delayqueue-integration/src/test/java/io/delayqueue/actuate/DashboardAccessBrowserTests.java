package io.delayqueue.actuate;

import java.time.Duration;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.fixture.Browser;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.CsrfConfigurer;
import org.springframework.security.web.SecurityFilterChain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The dashboard with read-only access, with a login, and inside a frame.
 */
@Tag("slow")
@EnabledIf("io.delayqueue.actuate.fixture.Chromium#isInstalled")
class DashboardAccessBrowserTests {

	private static final String UNRESTRICTED = "management.endpoint.delayqueue.access=unrestricted";

	private static final String[] USER = { "spring.security.user.name=alice", "spring.security.user.password=secret" };

	private static Browser browser;

	@BeforeAll
	static void start() {
		browser = Browser.start();
	}

	@AfterAll
	static void close() {
		browser.close();
	}

	@Test
	void anEmptyDashboardShowsAHintAndReadOnlyAccessHasNoButtons() {
		try (WebApplication application = WebApplication.start(SharedRedis.get().uri())) {
			browser.use(application);
			browser.open("");
			browser.awaitText("main", "No queue yet", "delayQueue.schedule(");
			schedule(application);
			browser.press("r");
			browser.awaitText(".queues", "orders");
			browser.awaitText("#access", "read only");
			for (String route : new String[] { "queues/orders", "queues/orders/dead", "queues/orders/messages/o-1" }) {
				browser.go(route);
				browser.awaitText("h1", route.endsWith("o-1") ? "o-1" : "orders");
				assertThat(browser.driver()
					.findElements(By.cssSelector("main button:not(.tabs button), main [type=checkbox], main .danger")))
					.as(route)
					.isEmpty();
			}
			assertThat(browser.complaints()).isEmpty();
		}
	}

	@Test
	void withDefaultSpringSecurityALoggedInUserCanOperateQueues() {
		try (WebApplication application = WebApplication.start(SharedRedis.get().uri(), UNRESTRICTED,
				WebApplication.SECURED, USER[0], USER[1])) {
			schedule(application);
			browser.use(application);
			login(application);
			browser.open("#/queues/orders");
			browser.click("#pause");
			browser.awaitText(".head", "paused");
			assertThat(application.bean(DelayQueueAdmin.class).status("orders").isPaused()).isTrue();
			assertThat(browser.complaints()).isEmpty();

			browser.driver().manage().deleteAllCookies();
			browser.click("#resume");
			browser.awaitText("#notice", "You are not logged in, or your session has ended");
			browser.awaitText("#banner", "You are not logged in, or your session has ended", "then reload this page");
			assertThat(browser.find("main").getDomAttribute("class")).contains("stale");
			browser.awaitText(".head", "orders");
		}
	}

	@Test
	void aCsrfTokenInACookieIsAcceptedToo() {
		try (WebApplication application = WebApplication.start(SharedRedis.get().uri(), CookieToken.class, UNRESTRICTED,
				WebApplication.SECURED, USER[0], USER[1])) {
			schedule(application);
			browser.use(application);
			login(application);
			browser.open("#/queues/orders");
			browser.click("#pause");
			browser.awaitText(".head", "paused");
			assertThat(application.bean(DelayQueueAdmin.class).status("orders").isPaused()).isTrue();
		}
	}

	@Test
	void withoutTheQueueEndpointItShowsHowToExposeIt() {
		try (WebApplication application = WebApplication.start(SharedRedis.get().uri(),
				"management.endpoints.web.exposure.include=health,delayqueuedashboard")) {
			browser.use(application);
			browser.open("");
			browser.awaitText("main", "The endpoint delayqueue is not exposed",
					"management.endpoints.web.exposure.include");
			browser.frame();
			await().untilAsserted(() -> assertThat(browser.complaints())
				.anySatisfy((complaint) -> assertThat(complaint).contains("frame-ancestors 'none'")));
		}
	}

	private static void login(WebApplication application) {
		browser.driver().get(application.url("/login"));
		browser.enter("input[name=username]", "alice");
		browser.enter("input[name=password]", "secret" + Keys.ENTER);
		await().until(() -> !browser.driver().getCurrentUrl().contains("/login"));
		browser.complaints();
	}

	private static void schedule(WebApplication application) {
		application.bean(DelayQueueOperations.class)
			.schedule(ScheduleRequest.to("orders").payload("p").id("o-1").delay(Duration.ofHours(1)));
	}

	/** Spring Security's recommended configuration for single-page applications. */
	@Configuration(proxyBeanMethods = false)
	static class CookieToken {

		@Bean
		SecurityFilterChain all(HttpSecurity http) throws Exception {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.formLogin(Customizer.withDefaults())
				.csrf(CsrfConfigurer::spa)
				.build();
		}

	}

}
