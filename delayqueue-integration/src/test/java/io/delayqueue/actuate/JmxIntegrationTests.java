package io.delayqueue.actuate;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import javax.management.MBeanException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.ReflectionException;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.actuate.fixture.WebApplication;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

/**
 * The endpoint in an application without a web server.
 */
@Tag("slow")
class JmxIntegrationTests {

	private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();

	@Test
	void allViewsAreAvailableOverJmx() throws Exception {
		try (ConfigurableApplicationContext context = start()) {
			schedule(context);

			assertThat(call("queues", null, null, null)).asInstanceOf(MAP)
				.extractingByKey("queues")
				.asInstanceOf(LIST)
				.hasSize(1);
			assertThat(call("queue", "orders")).asInstanceOf(MAP).containsEntry("scheduled", 1L);
			assertThat(call("queue", "missing")).isNull();
			assertThat(call("view", "orders", "messages", "SCHEDULED", null, null, null, null, 5, null, null))
				.asInstanceOf(MAP)
				.extractingByKey("messages")
				.asInstanceOf(LIST)
				.hasSize(1);
			assertThat(call("view", "orders", "dead-letters", null, null, null, null, null, null, null, null))
				.asInstanceOf(MAP)
				.containsEntry("deadLetters", List.of());
			assertThat(call("view", "orders", "message", null, "a", null, null, null, null, null, null))
				.asInstanceOf(MAP)
				.extractingByKey("payload")
				.asInstanceOf(MAP)
				.containsEntry("content", "\"p\"");
			assertThat(call("view", "orders", "message", null, "b", null, null, null, null, null, null)).isNull();
			assertThatExceptionOfType(MBeanException.class)
				.isThrownBy(
						() -> call("view", "orders", "messages", "SCHEDULED", null, null, null, null, 0, null, null))
				.withStackTraceContaining("limit is '0' but must be from 1 to 1000");
		}
	}

	@Test
	void withUnrestrictedAccessQueuesAreOperatedOverJmx() throws Exception {
		try (ConfigurableApplicationContext context = start()) {
			schedule(context);
			assertThatExceptionOfType(ReflectionException.class).isThrownBy(() -> operate("pause", null))
				.withStackTraceContaining("operate");
		}
		try (ConfigurableApplicationContext context = start("--management.endpoint.delayqueue.access=unrestricted")) {
			schedule(context);
			assertThat(operate("pause", null)).asInstanceOf(MAP).containsEntry("paused", true);
			assertThat(operate("cancel", "a")).asInstanceOf(MAP).containsEntry("result", "CANCELLED");
			assertThat(operate("cancel", "a")).isNull();
			assertThatExceptionOfType(MBeanException.class).isThrownBy(() -> operate("pause", "a"))
				.withStackTraceContaining("id is 'a' but must be left out here");
		}
	}

	private Object operate(String action, String id) throws Exception {
		return call("operate", "orders", action, id, null, null, null, null, null, null, null, null, null, null, null,
				null);
	}

	private static void schedule(ConfigurableApplicationContext context) {
		context.getBean(DelayQueueOperations.class)
			.schedule(ScheduleRequest.to("orders").payload("p").id("a").delay(Duration.ofHours(1)));
	}

	private Object call(String operation, Object... arguments) throws Exception {
		ObjectName name = new ObjectName("org.springframework.boot:type=Endpoint,name=Delayqueue");
		String[] types = new String[arguments.length];
		for (int i = 0; i < types.length; i++) {
			types[i] = String.class.getName();
		}
		return this.server.invoke(name, operation, arguments, types);
	}

	private static ConfigurableApplicationContext start(String... properties) {
		return new SpringApplicationBuilder(WebApplication.Empty.class).web(WebApplicationType.NONE)
			.run(Stream
				.concat(Stream.of(properties),
						Stream.of("--spring.main.banner-mode=off", "--spring.data.redis.url=" + SharedRedis.get().uri(),
								"--spring.data.redis.client-type=jedis",
								"--delayqueue.key-prefix=test-" + UUID.randomUUID(), "--spring.jmx.enabled=true",
								"--management.endpoints.jmx.exposure.include=delayqueue",
								"--management.endpoint.delayqueue.show-payloads=when-authorized"))
				.toArray(String[]::new));
	}

}
