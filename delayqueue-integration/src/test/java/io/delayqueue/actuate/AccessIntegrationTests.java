package io.delayqueue.actuate;

import java.net.URI;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.fixture.Operated;
import io.delayqueue.actuate.fixture.Operating;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.actuate.fixture.WebApplication.Answer;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Write access to the endpoint over HTTP: forbidden by default; with unrestricted access
 * permitted to the users that Spring Security accepts.
 */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
class AccessIntegrationTests {

	private static final String UNRESTRICTED = "management.endpoint.delayqueue.access=unrestricted";

	private static final String PAUSE = "/actuator/delayqueue/orders/pause";

	private static final Pattern TOKEN = Pattern.compile("data-csrf-token=\"([^\"]+)\"");

	private static final Pattern CSRF = Pattern.compile("name=\"_csrf\" type=\"hidden\" value=\"([^\"]+)\"");

	@ParameterizedTest
	@ValueSource(strings = { "management.endpoint.delayqueue.access=read-only", "some.other=property",
			"management.endpoints.access.max-permitted=read-only" })
	void readOnlyAccessRejectsAllWriteOperations(String property) {
		String capped = property.contains("max-permitted") ? UNRESTRICTED : "some.more=properties";
		try (WebApplication application = start(Operated.Recorder.class, property, capped)) {
			for (String action : List.of("cancel", "reschedule", "redrive", "edit", "discard", "pause", "resume",
					"drain", "reopen", "purge", "audit", "repair")) {
				assertThat(application.post("/actuator/delayqueue/orders/" + action, "{}").status()).as(action)
					.isEqualTo(405);
			}
			assertThat(application.get("/actuator/delayqueue/orders").status()).isEqualTo(200);
			assertUntouched(application);
		}
	}

	@Test
	void defaultSpringSecurityRequiresAUserAndACsrfToken(CapturedOutput output) {
		try (WebApplication application = start(Operated.Recorder.class, UNRESTRICTED, WebApplication.SECURED,
				"spring.security.user.name=alice", "spring.security.user.password=secret")) {
			Answer login = application.get("/login");
			Matcher token = CSRF.matcher(login.body());
			assertThat(token.find()).as(login.body()).isTrue();
			String session = login.cookies().get(0).split(";")[0];

			assertThat(application.get("/actuator/delayqueue/orders").status()).isEqualTo(401);
			assertThat(application.post(PAUSE, "{}").status()).isIn(401, 403);
			assertThat(application.post(PAUSE, "{}", "Authorization", basic("alice", "secret")).status()).as("no token")
				.isIn(401, 403);
			assertThat(application.post(PAUSE, "{}", "Cookie", session, "X-CSRF-TOKEN", token.group(1)).status())
				.as("no user")
				.isEqualTo(401);
			assertUntouched(application);
			assertThat(application
				.post(PAUSE, "{}", "Cookie", session, "X-CSRF-TOKEN", token.group(1), "Authorization",
						basic("alice", "secret"))
				.status()).isEqualTo(200);
			assertPausedBy(application, "alice", output);
		}
	}

	@Test
	void theDocumentedChainsProtectAllEndpointsAndTheApplication(CapturedOutput output) {
		try (WebApplication application = start(Guarded.class, UNRESTRICTED, WebApplication.SECURED)) {
			String bob = basic("bob 'x", "secret");
			String clerk = basic("clerk", "secret");
			JsonNode links = application.get("/actuator", "Authorization", clerk).json().get("_links");
			assertThat(links.propertyNames()).contains("delayqueue", "delayqueuedashboard", "loggers");
			for (JsonNode link : links) {
				String path = URI.create(link.get("href").asString().replaceAll("/\\{.*", "")).getPath();
				int status = path.startsWith("/actuator/health") ? 200 : 401;
				assertThat(application.get(path).status()).as(path).isEqualTo(status);
			}
			assertThat(application.get("/").status()).isEqualTo(401);
			assertThat(application.post(PAUSE, "{}", "Authorization", basic("bob 'x", "wrong")).status())
				.isEqualTo(401);

			Answer page = application.get("/actuator/delayqueuedashboard", "Authorization", clerk);
			assertThat(page.status()).isEqualTo(200);
			assertThat(operate(application, clerk)).isEqualTo(403);
			assertUntouched(application);
			assertThat(operate(application, bob)).isEqualTo(200);
			assertPausedBy(application, "bob 'x", output);
			assertOnlyItsEndpointsNeedNoToken(application, bob, clerk);
		}
	}

	@Test
	void theDocumentedLinesForOneChainAdmitAnAdministrator(CapturedOutput output) {
		try (WebApplication application = start(OneChain.class, UNRESTRICTED, WebApplication.SECURED)) {
			String ann = basic("ann", "secret");
			String zoe = basic("zoe", "secret");
			assertThat(application.get("/actuator/health").status()).isEqualTo(200);
			for (String path : List.of("/actuator", "/actuator/delayqueue", "/actuator/delayqueuedashboard")) {
				assertThat(application.get(path).status()).as(path).isEqualTo(401);
				assertThat(application.get(path, "Authorization", zoe).status()).as(path).isEqualTo(403);
				assertThat(application.get(path, "Authorization", ann).status()).as(path).isEqualTo(200);
			}
			assertThat(application.get("/").status()).isEqualTo(401);
			assertThat(application.get("/", "Authorization", zoe).status()).isEqualTo(404);
			assertOnlyItsEndpointsNeedNoToken(application, ann, zoe);
			assertPausedBy(application, "ann", output);
			assertThat(operate(application, ann)).isEqualTo(200);
		}
	}

	/** Only the endpoints of the library accept a call without the token of the page. */
	private static void assertOnlyItsEndpointsNeedNoToken(WebApplication application, String operator, String other) {
		assertThat(application.post(PAUSE, "{}").status()).isEqualTo(401);
		assertThat(application.post(PAUSE, "{}", "Authorization", other).status()).isEqualTo(403);
		assertThat(application.post(PAUSE, "{}", "Authorization", operator).status()).isEqualTo(200);
		assertThat(application.post("/actuator/loggers/x", "{}", "Authorization", operator).status()).isIn(401, 403);
	}

	/** Pauses the queue as the dashboard does it. */
	private static int operate(WebApplication application, String user) {
		Answer page = application.get("/actuator/delayqueuedashboard", "Authorization", user);
		Matcher token = TOKEN.matcher(page.body());
		assertThat(token.find()).as(page.body()).isTrue();
		return application
			.post(PAUSE, "{}", "Authorization", user, "Cookie", page.cookies().get(0).split(";")[0], "X-CSRF-TOKEN",
					token.group(1))
			.status();
	}

	@Test
	void withoutSpringSecurityCallersAreAnonymous(CapturedOutput output) {
		try (WebApplication application = start(Operated.Recorder.class, UNRESTRICTED)) {
			assertThat(application.post(PAUSE, "{}").status()).isEqualTo(200);
			assertPausedBy(application, "anonymous", output);
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void operationsRespondWith503WhileRedisDoesNotAnswer(boolean hangs, CapturedOutput output) {
		try (RedisServer redis = RedisServer.builder().start();
				WebApplication application = WebApplication.start(redis.uri(), Operated.Recorder.class, UNRESTRICTED,
						"delayqueue.schedule.deadline=1s")) {
			schedule(application);
			if (hangs) {
				redis.freeze();
			}
			else {
				redis.kill();
			}
			try {
				for (String action : List.of("pause", "cancel", "discard", "purge", "repair", "audit")) {
					Answer answer = application.post("/actuator/delayqueue/orders/" + action,
							action.equals("cancel") ? "{\"id\":\"o-1\"}" : "{}");
					Operating.assertProblem(answer, 503, "redis-unavailable");
				}
			}
			finally {
				if (hangs) {
					redis.resume();
				}
			}
			assertThat(application.bean(Operated.class).of("orders")).isEmpty();
			assertThat(output).doesNotContain("' requested '");
		}
	}

	@Test
	void aPartlyFailedOperationIsLogged(CapturedOutput output) {
		try (RedisServer redis = RedisServer.builder().start();
				WebApplication application = WebApplication.start(redis.uri(), Operated.Recorder.class, UNRESTRICTED)) {
			schedule(application);
			redis.call("DEL", application.prefix() + ":{orders:0}:dead");
			redis.call("SET", application.prefix() + ":{orders:0}:dead", "of another program");
			Answer answer = application.post("/actuator/delayqueue/orders/cancel", "{\"id\":\"o-1\"}");

			Operating.assertProblem(answer, 503, "redis-refused");
			assertThat(output.getOut().lines()).filteredOn((line) -> line.contains("' requested '"))
				.singleElement()
				.asString()
				.contains(" WARN ",
						"'anonymous' requested 'cancel' of queue 'orders', message 'o-1': the operation failed,"
								+ " but a part may have been carried out; the operation may be repeated: ",
						":{orders:0}:dead");
			assertThat(application.bean(Operated.class).of("orders")).isEmpty();
		}
	}

	private static WebApplication start(Class<?> beans, String... properties) {
		WebApplication application = WebApplication.start(SharedRedis.get().uri(), beans, properties);
		schedule(application);
		return application;
	}

	private static void schedule(WebApplication application) {
		application.bean(DelayQueueOperations.class)
			.schedule(ScheduleRequest.to("orders").payload("p").id("o-1").delay(Duration.ofHours(1)));
	}

	private static void assertUntouched(WebApplication application) {
		assertThat(application.bean(DelayQueueAdmin.class).status("orders").isPaused()).isFalse();
		assertThat(application.bean(DelayQueueOperations.class).find("orders", "o-1")).isPresent();
		assertThat(application.bean(Operated.class).of("orders")).isEmpty();
	}

	private static void assertPausedBy(WebApplication application, String principal, CapturedOutput output) {
		assertThat(application.bean(DelayQueueAdmin.class).status("orders").isPaused()).isTrue();
		assertThat(application.bean(Operated.class).first("orders").principal()).isEqualTo(principal);
		assertThat(output).contains(
				"'" + principal.replace("'", "\\u0027") + "' requested 'pause' of queue 'orders': the queue is paused");
	}

	private static String basic(String user, String password) {
		return "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes());
	}

	/** The configuration that docs/endpoint-and-health.md shows. */
	@Configuration(proxyBeanMethods = false)
	@Import(Operated.Recorder.class)
	static class Guarded {

		@Bean
		@Order(1)
		SecurityFilterChain endpoints(HttpSecurity http) throws Exception {
			return http.securityMatcher(EndpointRequest.toAnyEndpoint())
				.authorizeHttpRequests((requests) -> requests.requestMatchers(EndpointRequest.to("health"))
					.permitAll()
					.requestMatchers(HttpMethod.GET)
					.hasAnyRole("OPERATOR", "CLERK")
					.anyRequest()
					.hasRole("OPERATOR"))
				.csrf((csrf) -> csrf.ignoringRequestMatchers(EndpointRequest.to("delayqueue", "delayqueueoutbox")))
				.httpBasic(Customizer.withDefaults())
				.build();
		}

		@Bean
		SecurityFilterChain application(HttpSecurity http) throws Exception {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

		@Bean
		UserDetailsService users() {
			return new InMemoryUserDetailsManager(
					User.withUsername("bob 'x").password("{noop}secret").roles("OPERATOR").build(),
					User.withUsername("clerk").password("{noop}secret").roles("CLERK").build());
		}

	}

	/** The chain that docs/endpoint-and-health.md shows for an application with one. */
	@Configuration(proxyBeanMethods = false)
	@Import(Operated.Recorder.class)
	static class OneChain {

		@Bean
		SecurityFilterChain shop(HttpSecurity http) throws Exception {
			return http
				.authorizeHttpRequests((requests) -> requests.requestMatchers(EndpointRequest.to("health"))
					.permitAll()
					.requestMatchers(EndpointRequest.toAnyEndpoint())
					.hasRole("ADMIN")
					.anyRequest()
					.authenticated())
				.csrf((csrf) -> csrf.ignoringRequestMatchers(EndpointRequest.to("delayqueue", "delayqueueoutbox")))
				.httpBasic(Customizer.withDefaults())
				.build();
		}

		@Bean
		UserDetailsService users() {
			return new InMemoryUserDetailsManager(
					User.withUsername("ann").password("{noop}secret").roles("ADMIN").build(),
					User.withUsername("zoe").password("{noop}secret").roles("USER").build());
		}

	}

}
