package io.delayqueue.observe;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.delayqueue.DeferException;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.DuplicateMessageException;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.QueueDescriptor;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.observe.fixture.AlertRule;
import io.delayqueue.observe.fixture.PromQuery;
import io.delayqueue.observe.fixture.ScalerTrigger;
import io.delayqueue.observe.fixture.Scrape;
import io.delayqueue.test.redis.SharedRedis;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The dashboard, the alerts and the scaler of docs/observability query only metrics that
 * an application exports.
 */
class ObservabilityIntegrationTests {

	/** Labels that Prometheus adds to every sample. */
	private static final Set<String> SCRAPE_LABELS = Set.of("job", "instance");

	private static final Pattern LEGEND = Pattern.compile("\\{\\{\\s*(?:\\$labels\\.)?(\\w+)\\s*}}");

	private static final Pattern VARIABLE = Pattern.compile("\\$\\{?(\\w+)");

	private static final Duration HOUR = Duration.ofHours(1);

	private static TestApplication application;

	private static Scrape scrape = Scrape.of("");

	@BeforeAll
	static void produceEveryOutcome() {
		application = new TestApplication(SharedRedis.get().uri()).withAllAutoConfigurations()
			.with("delayqueue.defaults.max-attempts=2")
			.with("delayqueue.defaults.back-off.first=1ms")
			.with("delayqueue.queues.orders.expiry.then=drop")
			.with("delayqueue.queues.orders.group.quota=1")
			.with("management.metrics.distribution.percentiles-histogram.delayqueue.lateness=true");
		ConfigurableApplicationContext context = application.start(Listeners.class);
		DelayQueueOperations delayQueue = context.getBean(DelayQueueOperations.class);
		DelayQueueAdmin admin = context.getBean(DelayQueueAdmin.class);
		delayQueue.schedule("orders", "good", Duration.ZERO);
		delayQueue.schedule("orders", "bad", Duration.ZERO);
		delayQueue.schedule("orders", "not yet", Duration.ZERO);
		delayQueue.schedule("numbers", "unreadable", Duration.ZERO);
		delayQueue.schedule("reports", "report", Duration.ZERO);
		delayQueue.schedule(ScheduleRequest.to("orders")
			.payload("late")
			.dueAt(Instant.now().minus(HOUR))
			.expireAfter(Duration.ofMillis(1)));
		ScheduleRequest later = ScheduleRequest.to("orders").payload("later").id("later").group("ann").delay(HOUR);
		delayQueue.schedule(later);
		delayQueue.schedule(later);
		assertThatExceptionOfType(DuplicateMessageException.class)
			.isThrownBy(() -> delayQueue.schedule(later.onDuplicate(DuplicatePolicy.fail())));
		assertThatExceptionOfType(QuotaExceededException.class).isThrownBy(
				() -> delayQueue.schedule(ScheduleRequest.to("orders").payload("one more").group("ann").delay(HOUR)));
		delayQueue.cancel("orders", "later");
		admin.pause("reports");
		admin.drain("reports");
		assertThatExceptionOfType(QueueDrainingException.class)
			.isThrownBy(() -> delayQueue.schedule("reports", "refused", HOUR));
		PrometheusMeterRegistry registry = context.getBean(PrometheusMeterRegistry.class);
		await().untilAsserted(() -> {
			scrape = Scrape.of(registry.scrape());
			assertThat(scrape.samples()).contains(
					"delayqueue_handled_seconds_count{outcome=\"success\",queue=\"orders\"}",
					"delayqueue_handled_seconds_count{outcome=\"retry\",queue=\"orders\"}",
					"delayqueue_handled_seconds_count{outcome=\"failure\",queue=\"orders\"}",
					"delayqueue_handled_seconds_count{outcome=\"defer\",queue=\"orders\"}",
					"delayqueue_handled_seconds_count{outcome=\"unreadable\",queue=\"numbers\"}",
					"delayqueue_expired_total{outcome=\"dropped\",queue=\"orders\"}",
					"delayqueue_cancelled_total{queue=\"orders\",result=\"cancelled\"}",
					"delayqueue_scheduled_total{outcome=\"duplicate\",queue=\"orders\"}",
					"delayqueue_scheduled_total{outcome=\"duplicate_refused\",queue=\"orders\"}",
					"delayqueue_scheduled_total{outcome=\"quota_exceeded\",queue=\"orders\"}",
					"delayqueue_scheduled_total{outcome=\"rejected\",queue=\"reports\"}",
					"delayqueue_messages{queue=\"orders\",state=\"dead\"}",
					"delayqueue_paused_seconds{queue=\"reports\"}", "delayqueue_draining_seconds{queue=\"reports\"}");
		});
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void alertsQueryExistingMetrics() throws IOException {
		List<AlertRule> rules = AlertRule.all();
		assertThat(rules).hasSizeGreaterThan(10);
		for (AlertRule rule : rules) {
			PromQuery query = PromQuery.of(rule.expression());
			assertThatMetricsExist(rule.name(), query);
			for (Object annotation : rule.annotations().values()) {
				assertThat(query.labels()).as(rule.name()).containsAll(labels(String.valueOf(annotation)));
			}
		}
	}

	@Test
	void scalerQueriesExistingMetrics() throws IOException {
		List<ScalerTrigger> triggers = ScalerTrigger.all();
		assertThat(triggers).extracting(ScalerTrigger::name).containsExactly("backlog", "lateness", "due-soon");
		for (ScalerTrigger trigger : triggers.subList(0, 2)) {
			assertThatMetricsExist(trigger.name(), PromQuery.of(trigger.metadata("query")));
		}
		Class<?> reported = QueueDescriptor.class;
		for (String name : triggers.get(2).metadata("valueLocation").split("\\.")) {
			RecordComponent[] components = reported.getRecordComponents();
			assertThat(components).extracting(RecordComponent::getName).contains(name);
			reported = Stream.of(components)
				.filter((component) -> component.getName().equals(name))
				.findFirst()
				.orElseThrow()
				.getType();
		}
		assertThat(reported).isEqualTo(long.class);
	}

	@Test
	void dashboardQueriesExistingMetrics() throws IOException {
		JsonNode dashboard = dashboard();
		Set<String> variables = variables(dashboard);
		int targets = 0;
		for (JsonNode panel : dashboard.get("panels")) {
			for (JsonNode target : panel.path("targets")) {
				String title = panel.get("title").asString();
				PromQuery query = PromQuery.of(target.get("expr").asString());
				assertThatMetricsExist(title, query);
				assertThat(query.labels()).as(title).containsAll(labels(target.get("legendFormat").asString()));
				assertThat(target.get("datasource").get("uid").asString()).isEqualTo("${datasource}");
				assertThat(variables).as(title).containsAll(named(target.get("expr").asString()));
				targets++;
			}
		}
		assertThat(targets).isGreaterThan(30);
		assertThat(variables).contains("datasource", "job", "queue");
	}

	@Test
	void dashboardShowsEachMeter() throws IOException {
		Set<String> shown = new HashSet<>();
		for (JsonNode panel : dashboard().get("panels")) {
			panel.path("targets")
				.forEach((target) -> PromQuery.of(target.get("expr").asString())
					.metrics()
					.forEach((selection) -> shown.add(selection.metric())));
		}
		for (DelayQueueMeters meter : DelayQueueMeters.values()) {
			String name = meter.meterName().replace('.', '_');
			assertThat(shown).as(name).anyMatch((metric) -> metric.startsWith(name));
		}
	}

	private static void assertThatMetricsExist(String what, PromQuery query) {
		assertThat(query.metrics()).as(what).isNotEmpty();
		Set<String> possible = new HashSet<>(SCRAPE_LABELS);
		for (PromQuery.Selection selection : query.metrics()) {
			assertThat(scrape.metrics()).as(what).containsKey(selection.metric());
			var found = scrape.metrics().get(selection.metric());
			possible.addAll(found.keySet());
			selection.values().forEach((label, values) -> {
				assertThat(label).as(what).isIn(union(found.keySet()));
				assertThat(found.getOrDefault(label, Set.of())).as(what).containsAll(values);
			});
		}
		assertThat(possible).as(what).containsAll(query.labels());
	}

	private static Set<String> union(Set<String> labels) {
		Set<String> all = new HashSet<>(SCRAPE_LABELS);
		all.addAll(labels);
		return all;
	}

	private static JsonNode dashboard() throws IOException {
		return JsonMapper.builder()
			.build()
			.readTree(Files.readString(Path.of("..", "docs", "observability", "delayqueue-dashboard.json")));
	}

	private static Set<String> variables(JsonNode dashboard) {
		Set<String> variables = new HashSet<>();
		for (JsonNode variable : dashboard.get("templating").get("list")) {
			variables.add(variable.get("name").asString());
			if (variable.get("type").asString().equals("query")) {
				assertThatMetricsExist("variable", PromQuery.of(variable.get("definition").asString()));
			}
		}
		return variables;
	}

	private static List<String> labels(String text) {
		return all(LEGEND, text);
	}

	private static List<String> named(String expression) {
		List<String> variables = new ArrayList<>(all(VARIABLE, expression));
		variables.removeIf((variable) -> variable.startsWith("__"));
		return variables;
	}

	private static List<String> all(Pattern pattern, String text) {
		List<String> found = new ArrayList<>();
		Matcher matcher = pattern.matcher(text);
		while (matcher.find()) {
			found.add(matcher.group(1));
		}
		return found;
	}

	@Configuration(proxyBeanMethods = false)
	static class Listeners {

		@Bean
		static Orders orders() {
			return new Orders();
		}

	}

	static class Orders {

		@DelayedListener(queue = "orders")
		void order(DelayedMessage<String> message) {
			if (message.payload().equals("bad")) {
				throw new IllegalStateException("no way");
			}
			if (message.payload().equals("not yet")) {
				throw new DeferException(HOUR);
			}
		}

		@DelayedListener(queue = "numbers")
		void number(int number) {
			throw new AssertionError("must not be called with " + number);
		}

		@DelayedListener(queue = "reports", batch = "4", batchWait = "1ms")
		void reports(List<String> reports) {
		}

	}

}
