package io.delayqueue.actuate;

import java.net.URI;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.actuate.fixture.WebApplication.Answer;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import org.springframework.web.util.HtmlUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The dashboard over HTTP: the page, its links to the queues, its access level, and the
 * figures of the process.
 */
class DashboardIntegrationTests {

	private static final String PAGE = "/actuator/delayqueuedashboard";

	private static final String UNRESTRICTED = "management.endpoint.delayqueue.access=unrestricted";

	private static final Pattern BODY = Pattern.compile("<body ([^>]*)>");

	private static final Pattern DATA = Pattern.compile("data-([a-z-]+)=\"([^\"]*)\"");

	/** Settings of which several tests need an application that they leave as it is. */
	private static final Set<String> COMMON = Set.of("a=b", WebApplication.REACTIVE, UNRESTRICTED);

	/** By its settings. */
	private static final Map<String, WebApplication> shared = new HashMap<>();

	@AfterAll
	static void stopShared() {
		shared.values().forEach(WebApplication::close);
		shared.clear();
	}

	@ParameterizedTest
	@ValueSource(strings = { "a=b", WebApplication.REACTIVE })
	void thePageIsHtmlThatForbidsCachingAndFraming(String type) {
		inApplication(List.of(type), (application) -> {
			Answer page = application.get(PAGE, "Accept", "text/html,application/xhtml+xml,*/*;q=0.8");

			assertThat(page.status()).isEqualTo(200);
			assertThat(page.contentType()).isEqualTo("text/html;charset=UTF-8");
			assertThat(page.body()).startsWith("<!DOCTYPE html>").endsWith("</html>\n");
			assertThat(page.headers().firstValue("Content-Security-Policy")).get()
				.asString()
				.startsWith("default-src 'none'; script-src 'sha256-")
				.endsWith("; frame-ancestors 'none'");
			assertThat(page.headers().firstValue("Cache-Control")).contains("no-store");
			assertThat(page.headers().firstValue("Referrer-Policy")).contains("no-referrer");
			assertThat(page.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
			assertThat(application.call("POST", PAGE).status()).isEqualTo(405);
			assertThat(application.get(PAGE + "/figures").headers().firstValue("Content-Security-Policy")).isEmpty();
			assertThat(data(page)).containsOnlyKeys("figures", "endpoint", "access");
		});
	}

	@Tag("slow")
	@Test
	void thePageIsNotFoundUnlessItIsExposed() {
		try (WebApplication application = start("management.endpoints.web.exposure.include=health,delayqueue")) {
			assertThat(application.get(PAGE).status()).isEqualTo(404);
		}
		try (WebApplication application = start("management.endpoint.delayqueuedashboard.access=none")) {
			assertThat(application.get(PAGE).status()).isEqualTo(404);
		}
	}

	@Tag("slow")
	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "/actuator/delayqueuedashboard|a=b",
			"/ops/delayqueuedashboard|management.endpoints.web.base-path=/ops",
			"/delayqueuedashboard|management.endpoints.web.base-path=/ management.server.port=0",
			"/actuator/dashboard|management.endpoints.web.path-mapping.delayqueuedashboard=dashboard",
			"/actuator/a/b|management.endpoints.web.path-mapping.delayqueuedashboard=a/b"
					+ " management.endpoints.web.path-mapping.delayqueue=c/d",
			"/shop/actuator/delayqueuedashboard|server.servlet.context-path=/shop",
			"/base/actuator/delayqueuedashboard|management.server.port=0 management.server.base-path=/base",
			"/actuator/delayqueuedashboard|management.endpoints.web.path-mapping.delayqueue=a%&<b>",
			"/actuator/delayqueuedashboard|" + WebApplication.REACTIVE,
			"/actuator/%64elayqueuedashboard;a=b|" + WebApplication.REACTIVE,
			"/actuator/a/b|management.endpoints.web.path-mapping.delayqueuedashboard=a/b " + WebApplication.REACTIVE,
			"/delayqueuedashboard|management.endpoints.web.base-path=/ management.server.port=0 "
					+ WebApplication.REACTIVE,
			"/shop/actuator/delayqueuedashboard|spring.webflux.base-path=/shop " + WebApplication.REACTIVE,
			"/base/actuator/delayqueuedashboard|management.server.port=0 management.server.base-path=/base "
					+ WebApplication.REACTIVE })
	void thePageFindsTheQueueEndpointUnderAnyPath(String path, String properties) {
		inApplication(List.of(properties.split(" ")), (application) -> {
			schedule(application);
			Answer page = application.get(path);

			assertThat(page.status()).isEqualTo(200);
			assertThat(page.headers().firstValue("Content-Security-Policy")).isPresent();
			URI endpoint = URI.create(path).resolve(data(page).get("endpoint"));
			assertThat(application.get(endpoint + "/orders").json().get("scheduled").asInt()).isEqualTo(1);
			URI figures = URI.create(path).resolve(data(page).get("figures"));
			assertThat(application.get(figures.toString()).json().get("process").asString()).isNotEmpty();
		});
	}

	@Tag("slow")
	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "-",
			value = { "unrestricted|" + UNRESTRICTED + "|-", "read-only|a=b|-",
					"read-only|" + UNRESTRICTED + "|management.endpoints.access.max-permitted=read-only",
					"-|management.endpoints.web.exposure.include=delayqueuedashboard|-",
					"-|management.endpoint.delayqueue.access=none|-" })
	void thePageContainsTheAccessLevel(String access, String property, String other) {
		inApplication((other != null) ? List.of(property, other) : List.of(property), (application) -> {
			Map<String, String> data = data(application.get(PAGE));

			assertThat(data.get("access")).isEqualTo(access);
			assertThat(data.containsKey("endpoint")).isEqualTo(access != null);
		});
	}

	@Test
	void withSpringSecurityThePageContainsTheCsrfToken() {
		try (WebApplication application = start(UNRESTRICTED, WebApplication.SECURED, "spring.security.user.name=alice",
				"spring.security.user.password=secret")) {
			schedule(application);
			String user = "Basic " + Base64.getEncoder().encodeToString("alice:secret".getBytes());
			assertThat(application.get(PAGE).status()).isEqualTo(401);
			assertThat(application.get(PAGE + "/figures").status()).isEqualTo(401);

			Answer page = application.get(PAGE, "Authorization", user);

			Map<String, String> data = data(page);
			assertThat(page.status()).isEqualTo(200);
			assertThat(page.headers().allValues("Cache-Control")).containsExactly("no-store");
			assertThat(data).containsEntry("csrf-header", "X-CSRF-TOKEN").containsEntry("access", "unrestricted");
			String session = page.cookies().get(0).split(";")[0];
			String pause = "/actuator/delayqueue/orders/pause";
			assertThat(application.post(pause, "{}", "Authorization", user, "Cookie", session).status()).isIn(401, 403);
			assertThat(application
				.post(pause, "{}", "Authorization", user, "Cookie", session, data.get("csrf-header"),
						data.get("csrf-token"))
				.status()).isEqualTo(200);
			assertThat(application.bean(DelayQueueAdmin.class).status("orders").isPaused()).isTrue();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x" })
	void contentTypesOfCrossSiteFormsAreRejected(String type) {
		inApplication(List.of(UNRESTRICTED), (application) -> {
			schedule(application);
			assertThat(application.postAs(type, "/actuator/delayqueue/orders/pause", "{}").status()).isIn(400, 415);
			assertThat(application.bean(DelayQueueAdmin.class).status("orders").isPaused()).isFalse();
		});
	}

	/**
	 * A browser sends a request without a content type, too, for a page of any site.
	 */
	@Tag("slow")
	@ParameterizedTest
	@ValueSource(strings = { "a=b", "management.server.port=0", WebApplication.REACTIVE })
	void operationsWithoutJsonAreRejected(String property) {
		inApplication(List.of(UNRESTRICTED, property), (application) -> {
			schedule(application);
			String purge = "/actuator/delayqueue/orders/purge?confirm=orders";
			assertThat(application.call("POST", purge, "Origin", "http://other.example").status()).isEqualTo(415);
			for (String type : List.of("text/plain", "text/plain; application/json",
					"application/x-www-form-urlencoded")) {
				assertThat(application.call("POST", purge, "Content-Type", type).status()).isEqualTo(415);
			}
			assertThat(application.bean(DelayQueueOperations.class).find("orders", "o-1")).isPresent();
			assertThat(application.call("POST", purge, "Content-Type", "application/json").status()).isEqualTo(200);
			assertThat(application.bean(DelayQueueOperations.class).find("orders", "o-1")).isEmpty();
		});
	}

	@Test
	void figuresContainTheCountersOfThisProcess() {
		try (WebApplication application = start()) {
			application.consume("orders", 1, (delivery) -> {
				if (delivery.id().equals("bad")) {
					throw new IllegalStateException();
				}
				return null;
			});
			for (String id : List.of("good", "bad", "well")) {
				application.bean(DelayQueueOperations.class)
					.schedule(ScheduleRequest.to("orders").payload("p").id(id).delay(Duration.ZERO));
			}
			await().until(() -> handled(application) == 3);
			JsonNode figures = application.get(PAGE + "/figures").json();

			assertThat(figures.get("process").asString())
				.isEqualTo(application.get(PAGE + "/figures").json().get("process").asString());
			assertThat(figures.get("queues")).hasSize(1);
			JsonNode orders = figures.get("queues").get(0);
			assertThat(orders.get("queue").asString()).isEqualTo("orders");
			assertThat(orders.get("failed").asInt()).isEqualTo(1);
			assertThat(orders.get("delivered").asInt()).isEqualTo(3);
			assertThat(orders.get("latenessMillis").asInt()).isNotNegative();
			assertThat(orders.get("worstLatenessMillis").asInt()).isNotNegative();
			assertThat(application.get(PAGE + "/other").status()).isEqualTo(404);
		}
	}

	@Tag("slow")
	@Test
	void withoutMetersThereAreNoFigures() {
		try (WebApplication application = start("management.metrics.enable.delayqueue=false")) {
			application.consume("orders", 1, (delivery) -> null);
			assertThat(application.get(PAGE + "/figures").json().get("queues")).isEmpty();
		}
	}

	private static int handled(WebApplication application) {
		JsonNode queues = application.get(PAGE + "/figures").json().get("queues");
		return queues.isEmpty() ? 0 : queues.get(0).get("handled").asInt();
	}

	private static WebApplication start(String... properties) {
		return WebApplication.start(SharedRedis.get().uri(), properties);
	}

	/**
	 * Runs a test in an application with these settings, which is shared if they are
	 * common.
	 */
	private static void inApplication(List<String> properties, Consumer<WebApplication> test) {
		if (properties.size() == 1 && COMMON.contains(properties.get(0))) {
			test.accept(shared.computeIfAbsent(properties.get(0), DashboardIntegrationTests::start));
			return;
		}
		try (WebApplication application = start(properties.toArray(String[]::new))) {
			test.accept(application);
		}
	}

	private static void schedule(WebApplication application) {
		application.bean(DelayQueueOperations.class)
			.schedule(ScheduleRequest.to("orders").payload("p").id("o-1").delay(Duration.ofHours(1)));
	}

	private static Map<String, String> data(Answer page) {
		Matcher body = BODY.matcher(page.body());
		assertThat(body.find()).as(page.body()).isTrue();
		return DATA.matcher(body.group(1))
			.results()
			.collect(Collectors.toMap((data) -> data.group(1), (data) -> HtmlUtils.htmlUnescape(data.group(2))));
	}

}
