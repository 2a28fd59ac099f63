package io.delayqueue.host;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An application with aspects whose pointcuts match beans of the library.
 */
class AspectHostIntegrationTests {

	@ParameterizedTest
	@ValueSource(strings = { "true", "false" })
	void aspectsAroundTheLibraryWork(String proxyTargetClass) {
		try (ConfigurableApplicationContext context = Host.start(Shop.class,
				"management.endpoints.jmx.exposure.include=*", "spring.jmx.enabled=true",
				// Repositories in Redis cannot use a template that is a JDK proxy
				"spring.data.redis.repositories.enabled=false", "spring.aop.proxy-target-class=" + proxyTargetClass)) {
			context.getBean(DelayQueueOperations.class).schedule("orders", "o", Duration.ZERO);
			await().until(() -> context.getBean(Orders.class).handled.contains("o"));
			assertThat(context.getBean(HealthEndpoint.class).health().getStatus()).isEqualTo(Status.UP);
			assertThat(Aspects.called).contains("schedule", "health");
		}
	}

	@Test
	void theSameApplicationStartsWithoutDelayedMessages() {
		try (ConfigurableApplicationContext context = Host.start(Shop.class, "delayqueue.enabled=false")) {
			assertThat(context.getBean(HealthEndpoint.class).health().getStatus()).isEqualTo(Status.UP);
		}
	}

	static class Orders {

		final Set<String> handled = ConcurrentHashMap.newKeySet();

		@DelayedListener(queue = "orders")
		void handle(String order) {
			this.handled.add(order);
		}

	}

	@Aspect
	static class Aspects {

		static final Set<String> called = ConcurrentHashMap.newKeySet();

		@Around("execution(* io.delayqueue.DelayQueueOperations.schedule*(..))"
				+ " || execution(* org.springframework.boot.health.contributor.HealthIndicator+.health(..))")
		Object recorded(ProceedingJoinPoint point) throws Throwable {
			called.add(point.getSignature().getName());
			return point.proceed();
		}

		@Around("execution(* org.springframework.data.redis.core.RedisOperations+.*(..))"
				+ " || within(@org.springframework.boot.actuate.endpoint.annotation.Endpoint *)"
				+ " || within(io.delayqueue..*) && !within(io.delayqueue.host..*)")
		Object around(ProceedingJoinPoint point) throws Throwable {
			return point.proceed();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import({ Orders.class, Aspects.class })
	static class Shop {

	}

}
