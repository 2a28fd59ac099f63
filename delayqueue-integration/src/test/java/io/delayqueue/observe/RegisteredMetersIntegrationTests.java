package io.delayqueue.observe;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.delivery.QueueConsumerFactory;
import io.delayqueue.queue.Queues;
import io.delayqueue.test.redis.SharedRedis;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Meters in a registry after a message has been delivered.
 */
class RegisteredMetersIntegrationTests {

	@Test
	void deliveredMessageRegistersExactlyTheListedMeters() {
		CountDownLatch go = new CountDownLatch(1);
		try (ConfigurableApplicationContext context = start()) {
			MeterRegistry registry = context.getBean("registry", MeterRegistry.class);
			context.getBean(DelayQueueOperations.class).schedule("orders", "payload", Duration.ZERO);
			QueueConsumer consumer = context.getBean(QueueConsumerFactory.class)
				.create(context.getBean(Queues.class).settings("orders"), (delivery) -> {
					awaitUninterruptibly(go);
					return null;
				}, null, null);
			consumer.start();
			try {
				await().until(() -> inFlight(registry) == 1);
				go.countDown();
				await().until(() -> inFlight(registry) == 0);
				await().until(() -> registry.get("delayqueue.handled").tag("outcome", "success").timer().count() == 1);
			}
			finally {
				go.countDown();
				consumer.stop(Duration.ofSeconds(5));
			}

			assertThat(registry.getMeters()
				.stream()
				.map(Meter::getId)
				.filter((id) -> id.getName().startsWith("delayqueue"))
				.map(RegisteredMetersIntegrationTests::line)).containsExactlyInAnyOrderElementsOf(listed());
			assertThat(inFlight(registry)).as("no consumer").isZero();
		}
	}

	private static double inFlight(MeterRegistry registry) {
		var gauge = registry.find("delayqueue.in.flight").tag("queue", "orders").gauge();
		return (gauge != null) ? gauge.value() : -1;
	}

	private static List<String> listed() {
		List<String> listed = new ArrayList<>();
		for (DelayQueueMeters meter : DelayQueueMeters.values()) {
			String line = meter.meterName() + " " + meter.type() + " " + meter.baseUnit() + " " + meter.description();
			if (meter.tag().isEmpty()) {
				listed.add(line + " queue=orders");
			}
			for (String value : meter.tagValues()) {
				String tag = meter.tag() + "=" + value;
				listed
					.add(line + ((tag.compareTo("queue") < 0) ? " " + tag + " queue=orders" : " queue=orders " + tag));
			}
		}
		return listed;
	}

	private static String line(Meter.Id id) {
		StringBuilder line = new StringBuilder(id.getName() + " " + id.getType() + " "
				+ Objects.toString(id.getBaseUnit(), "") + " " + id.getDescription());
		for (Tag tag : id.getTags()) {
			line.append(' ').append(tag.getKey()).append('=').append(tag.getValue());
		}
		return line.toString();
	}

	private static void awaitUninterruptibly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static ConfigurableApplicationContext start() {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.run("--spring.main.banner-mode=off", "--spring.data.redis.url=" + SharedRedis.get().uri(),
					"--spring.data.redis.client-type=jedis", "--delayqueue.key-prefix=test-" + UUID.randomUUID());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Bean
		MeterRegistry registry() {
			return new SimpleMeterRegistry();
		}

	}

}
