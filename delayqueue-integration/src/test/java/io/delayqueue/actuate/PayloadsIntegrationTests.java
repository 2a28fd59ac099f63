package io.delayqueue.actuate;

import java.security.Principal;
import java.time.Duration;
import java.util.Map;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.admin.MessageMask;
import io.delayqueue.test.redis.SharedRedis;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Access to payloads over HTTP, and their masks.
 */
@Tag("slow")
class PayloadsIntegrationTests {

	private static final String SHOW = "management.endpoint.delayqueue.show-payloads=";

	private static final String SHOWN = "{\"size\":20,\"encoding\":\"text\",\"content\":\"{\\\"card\\\":\\\"4711 0815\\\"}\","
			+ "\"truncated\":false}";

	private static final String HIDDEN = "{\"size\":20,\"hidden\":\"not-allowed\",\"truncated\":false}";

	@Test
	void payloadsAreHiddenByDefault() {
		try (WebApplication application = start(Users.class)) {
			assertThat(payload(application)).isEqualTo(HIDDEN);
			assertThat(payload(application, "user", "eve", "role", "operator")).isEqualTo(HIDDEN);
		}
	}

	@Test
	void payloadsCanBeShownToAllCallers() {
		try (WebApplication application = start(Users.class, SHOW + "always")) {
			assertThat(payload(application)).isEqualTo(SHOWN);
		}
	}

	@Test
	void payloadsCanBeShownToAuthenticatedUsers() {
		try (WebApplication application = start(Users.class, SHOW + "when-authorized")) {
			assertThat(payload(application)).isEqualTo(HIDDEN);
			assertThat(payload(application, "user", "eve")).isEqualTo(SHOWN);
		}
	}

	@Test
	void payloadsCanBeShownToRoles() {
		try (WebApplication application = start(Users.class, SHOW + "when-authorized",
				"management.endpoint.delayqueue.roles=operator,boss")) {
			assertThat(payload(application)).isEqualTo(HIDDEN);
			assertThat(payload(application, "role", "operator")).isEqualTo(HIDDEN);
			assertThat(payload(application, "user", "eve", "role", "clerk")).isEqualTo(HIDDEN);
			assertThat(payload(application, "user", "eve", "role", "boss")).isEqualTo(SHOWN);
		}
	}

	@Test
	void payloadsAreCutToTheMaximumSize() {
		try (WebApplication application = start(Users.class, SHOW + "always",
				"management.endpoint.delayqueue.max-payload-size=5B")) {
			assertThat(payload(application))
				.isEqualTo("{\"size\":20,\"encoding\":\"text\",\"content\":\"{\\\"car\",\"truncated\":true}");
		}
	}

	@Test
	void masksApplyToPayloadsHeadersAndFailures() {
		try (WebApplication application = start(Masks.class, SHOW + "always")) {
			JsonNode message = message(application);
			assertThat(message.get("payload").get("content").asString()).isEqualTo("{\"card\":\"**** ****\"}");
			assertThat(message.get("headers").get("token").asString()).isEqualTo("******");
			assertThat(message.get("headers").get("trace").asString()).isEqualTo("t-***");
		}
	}

	private static WebApplication start(Class<?> beans, String... properties) {
		return WebApplication.start(SharedRedis.get().uri(), beans, properties);
	}

	private static String payload(WebApplication application, String... user) {
		return message(application, user).get("payload").toString();
	}

	private static JsonNode message(WebApplication application, String... user) {
		application.bean(DelayQueueOperations.class)
			.schedule(ScheduleRequest.to("orders")
				.payload(Map.of("card", "4711 0815"))
				.id("a")
				.header("token", "abc")
				.header("trace", "t-123")
				.delay(Duration.ofHours(1)));
		return application.call("GET", "/actuator/delayqueue/orders/message?id=a", user).json();
	}

	/** Trusts the user and the role that the headers of the request name. */
	@Configuration(proxyBeanMethods = false)
	static class Users {

		@Bean
		Filter users() {
			return (request, response, chain) -> chain.doFilter(new Caller((HttpServletRequest) request), response);
		}

	}

	private static final class Caller extends HttpServletRequestWrapper {

		private Caller(HttpServletRequest request) {
			super(request);
		}

		@Override
		public Principal getUserPrincipal() {
			String name = getHeader("user");
			return (name != null) ? () -> name : null;
		}

		@Override
		public boolean isUserInRole(String role) {
			return role.equals(getHeader("role"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Masks {

		@Bean
		MessageMask digits() {
			return (content) -> content.text().replaceAll("\\d", "*");
		}

		@Bean
		MessageMask tokens() {
			return (content) -> "token".equals(content.header()) ? null : content.text();
		}

	}

}
