package io.delayqueue.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.fixture.Operated;
import io.delayqueue.actuate.fixture.Operating;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.actuate.fixture.WebApplication.Answer;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import tools.jackson.databind.node.ObjectNode;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity.CsrfSpec;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;

import static io.delayqueue.actuate.fixture.Operating.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The endpoint and the dashboard in a reactive application, compared with a servlet
 * application that uses the same queues.
 */
@Tag("slow")
class ReactiveIntegrationTests {

	private static final String PAGE = "/actuator/delayqueuedashboard";

	private static final String UNRESTRICTED = "management.endpoint.delayqueue.access=unrestricted";

	private static Operating servlet;

	private static Operating reactive;

	@BeforeAll
	static void startBoth() {
		servlet = Operating.start(SharedRedis.get().uri());
		reactive = Operating.start(SharedRedis.get().uri(), WebApplication.REACTIVE,
				"delayqueue.key-prefix=" + servlet.application.prefix());
		servlet.schedule("orders", "o-1", "o-2");
		servlet.schedule("parted", "p-1", "p-2", "p-3");
		servlet.letDie("failed", Set.of("n-1"), List.of("f-1", "n-1"));
	}

	@AfterAll
	static void stopBoth() {
		reactive.close();
		servlet.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "delayqueue", "delayqueue?limit=1", "delayqueue?from=p", "delayqueue?limit=0",
			"delayqueue?limit=x", "delayqueue?limit=1&limit=2", "delayqueue/orders", "delayqueue/parted",
			"delayqueue/unknown", "delayqueue/%20", "delayqueue/orders/messages?state=SCHEDULED",
			"delayqueue/orders/messages?state=LOST", "delayqueue/orders/messages", "delayqueue/orders/message?id=o-1",
			"delayqueue/orders/message?id=none", "delayqueue/orders/nothing", "delayqueue/orders/messages/o-1",
			"delayqueue/failed/dead-letters", "delayqueue/failed/dead-letters?reason=NEVER_RETRIED",
			"delayqueue/failed/dead-letters?reason=NONE", "delayqueuedashboard", "delayqueuedashboard/nothing" })
	void readOperationsRespondLikeServlets(String path) {
		assertSame(reactive.application.get("/actuator/" + path), servlet.application.get("/actuator/" + path));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "orders/pause|{}", "orders/resume|{}", "orders/audit|{}", "orders/repair|{}",
			"failed/redrive|{'dryRun':true}", "failed/redrive|{'dryRun':'maybe'}", "failed/redrive|{'dryrun':true}",
			"failed/redrive|{'limit':0}", "failed/redrive|{'limit':1,'dryRun':true}", "orders/cancel|{'id':'none'}",
			"orders/cancel|{}", "orders/cancel|{'id':null}", "orders/reschedule|{'id':'o-1'}",
			"orders/purge|{'confirm':'other'}", "orders/nothing|{}", "unknown/pause|{}", "orders/pause|nonsense",
			"orders/pause|[]", "orders/pause|''", "orders/cancel|{'id':['o-1']}" })
	void writeOperationsRespondLikeServlets(String path, String json) {
		String body = json.replace('\'', '"');
		assertSame(reactive.application.post("/actuator/delayqueue/" + path, body),
				servlet.application.post("/actuator/delayqueue/" + path, body));
	}

	@Test
	void formContentTypesAreRejectedLikeServlets() {
		String pause = "/actuator/delayqueue/orders/pause";
		for (String type : List.of("text/plain", "application/x-www-form-urlencoded")) {
			assertSame(reactive.application.postAs(type, pause, "{}"), servlet.application.postAs(type, pause, "{}"));
		}
		assertSame(reactive.application.call("DELETE", pause), servlet.application.call("DELETE", pause));
	}

	private static void assertSame(Answer answer, Answer expected) {
		assertThat(answer.status()).as(answer.body()).isEqualTo(expected.status());
		assertThat(answer.contentType()).isEqualTo(expected.contentType());
		assertThat(comparable(answer)).isEqualTo(comparable(expected));
	}

	/**
	 * Removes the timestamp and the request id of Spring's own errors, and the name of
	 * the answering process.
	 */
	private static Object comparable(Answer answer) {
		return answer.contentType().equals("application/json")
				? ((ObjectNode) answer.json()).remove(List.of("timestamp", "requestId"))
				: answer.body().replaceFirst("\"member\":\"[^\"]+\"", "");
	}

	@Test
	void queuesAreOperated() {
		reactive.letDie("operated", Set.of(), List.of("f-1", "f-2"));

		Answer redriven = reactive.post("operated", "redrive", "{'reason':'HANDLER_FAILED'}");
		assertThat(redriven.status()).as(redriven.body()).isEqualTo(200);
		assertThat(redriven.json().get("count").asInt()).isEqualTo(2);
		assertThat(reactive.dead("operated")).isEmpty();
		assertThat(reactive.post("operated", "pause", "{}").status()).isEqualTo(200);
		assertThat(reactive.admin.status("operated").isPaused()).isTrue();
		assertThat(reactive.operated.first("operated").principal()).isEqualTo("anonymous");
	}

	@Test
	void operationsDoNotBlockTheEventLoop() {
		try (WebApplication application = start(Threads.class)) {
			application.get("/actuator/delayqueue/orders");
			application.post("/actuator/delayqueue/orders/pause", "{}");
			application.get(PAGE);
			application.get(PAGE + "/figures");

			Map<String, String> seen = application.bean(Threads.class).seen;
			assertThat(seen.remove("request")).startsWith("webflux-http-");
			assertThat(seen).containsOnlyKeys("delayqueue READ", "delayqueue WRITE", "delayqueuedashboard READ")
				.allSatisfy((operation, thread) -> assertThat(thread).startsWith("boundedElastic-"));
		}
	}

	@Test
	void theUserIsLoggedAndHeadersAreSetOnce() {
		String alice = "Basic " + Base64.getEncoder().encodeToString("alice:secret".getBytes());
		try (WebApplication application = start(Guarded.class, WebApplication.SECURED,
				"spring.security.user.name=alice", "spring.security.user.password=secret")) {
			assertThat(application.get(PAGE).status()).isEqualTo(401);
			assertThat(application.post("/actuator/delayqueue/orders/pause", "{}").status()).isEqualTo(401);

			Answer page = application.get(PAGE, "Authorization", alice);
			assertThat(page.status()).isEqualTo(200);
			assertThat(page.headers().allValues("Cache-Control")).containsExactly("no-store");
			assertThat(page.headers().allValues("X-Content-Type-Options")).containsExactly("nosniff");
			assertThat(page.headers().allValues("Content-Security-Policy")).hasSize(1);
			assertThat(application.post("/actuator/delayqueue/orders/pause", "{}", "Authorization", alice).status())
				.isEqualTo(200);
			assertThat(application.bean(Operated.class).first("orders").principal()).isEqualTo("alice");
		}
	}

	@Test
	void withoutRedisOperationsRespondWith503AndThePageIsServed() {
		try (RedisServer redis = RedisServer.builder().start();
				WebApplication application = WebApplication.start(redis.uri(), WebApplication.REACTIVE, UNRESTRICTED,
						"delayqueue.schedule.deadline=1s")) {
			schedule(application);
			redis.kill();

			assertProblem(application.get("/actuator/delayqueue"), 503, "redis-unavailable");
			assertProblem(application.post("/actuator/delayqueue/orders/pause", "{}"), 503, "redis-unavailable");
			assertThat(application.get(PAGE).status()).isEqualTo(200);
		}
	}

	private static WebApplication start(Class<?> beans, String... properties) {
		List<String> all = new ArrayList<>(List.of(properties));
		all.addAll(List.of(WebApplication.REACTIVE, UNRESTRICTED));
		WebApplication application = WebApplication.start(SharedRedis.get().uri(), beans, all.toArray(String[]::new));
		schedule(application);
		return application;
	}

	private static void schedule(WebApplication application) {
		application.bean(DelayQueueOperations.class)
			.schedule(ScheduleRequest.to("orders").payload("p").id("o-1").delay(Duration.ofHours(1)));
	}

	/** Records the threads of requests and of operations. */
	static class Threads implements WebFilter, OperationInvokerAdvisor {

		final Map<String, String> seen = new ConcurrentHashMap<>();

		@Override
		public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
			this.seen.put("request", Thread.currentThread().getName());
			return chain.filter(exchange);
		}

		@Override
		public OperationInvoker apply(EndpointId endpoint, OperationType type, OperationParameters parameters,
				OperationInvoker invoker) {
			return (context) -> {
				this.seen.put(endpoint + " " + type, Thread.currentThread().getName());
				return invoker.invoke(context);
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Operated.Recorder.class)
	static class Guarded {

		@Bean
		SecurityWebFilterChain all(ServerHttpSecurity http) {
			return http.authorizeExchange((exchanges) -> exchanges.anyExchange().authenticated())
				.httpBasic(Customizer.withDefaults())
				.csrf(CsrfSpec::disable)
				.build();
		}

	}

}
