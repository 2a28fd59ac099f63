package io.delayqueue.actuate;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

import javax.management.MBeanException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

/**
 * The endpoint of an application that is no web application.
 */
class JmxIntegrationTests {

	private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();

	@Test
	void everythingIsShownOverJmxToo() throws Exception {
		try (ConfigurableApplicationContext context = start()) {
			context.getBean(DelayQueueOperations.class)
				.schedule(ScheduleRequest.to("orders").payload("p").id("a").delay(Duration.ofHours(1)));

			assertThat(call("queues", null, null)).asInstanceOf(MAP)
				.extractingByKey("queues")
				.asInstanceOf(LIST)
				.hasSize(1);
			assertThat(call("queue", "orders")).asInstanceOf(MAP).containsEntry("scheduled", 1L);
			assertThat(call("queue", "nobody")).isNull();
			assertThat(call("view", "orders", "messages", "SCHEDULED", null, null, null, null, 5)).asInstanceOf(MAP)
				.extractingByKey("messages")
				.asInstanceOf(LIST)
				.hasSize(1);
			assertThat(call("view", "orders", "dead-letters", null, null, null, null, null, null)).asInstanceOf(MAP)
				.containsEntry("deadLetters", List.of());
			assertThat(call("view", "orders", "message", null, "a", null, null, null, null)).asInstanceOf(MAP)
				.extractingByKey("payload")
				.asInstanceOf(MAP)
				.containsEntry("content", "\"p\"");
			assertThat(call("view", "orders", "message", null, "b", null, null, null, null)).isNull();
			assertThatExceptionOfType(MBeanException.class)
				.isThrownBy(() -> call("view", "orders", "messages", "SCHEDULED", null, null, null, null, 0))
				.withStackTraceContaining("limit is '0' but must be from 1 to 1000");
		}
	}

	private Object call(String operation, Object... arguments) throws Exception {
		ObjectName name = new ObjectName("org.springframework.boot:type=Endpoint,name=Delayqueue");
		String[] types = new String[arguments.length];
		for (int i = 0; i < types.length; i++) {
			types[i] = String.class.getName();
		}
		return this.server.invoke(name, operation, arguments, types);
	}

	private static ConfigurableApplicationContext start() {
		return new SpringApplicationBuilder(WebApplication.Empty.class).web(WebApplicationType.NONE)
			.run("--spring.main.banner-mode=off", "--spring.data.redis.url=" + SharedRedis.get().uri(),
					"--spring.data.redis.client-type=jedis", "--delayqueue.key-prefix=test-" + UUID.randomUUID(),
					"--spring.jmx.enabled=true", "--management.endpoints.jmx.exposure.include=delayqueue",
					"--management.endpoint.delayqueue.show-payloads=when-authorized");
	}

}
