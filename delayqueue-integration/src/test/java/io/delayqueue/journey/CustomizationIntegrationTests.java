package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedListenerContainerCustomizer;
import io.delayqueue.DelayedMessage;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleRequestCustomizer;
import io.delayqueue.journey.fixture.CustomizedApplication;
import io.delayqueue.journey.fixture.Transactions;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Customizers of requests and of listeners.
 */
class CustomizationIntegrationTests extends CustomizedApplication {

	/** The current tenant, in a thread-local as many applications keep it. */
	static final class Tenant {

		static final ThreadLocal<@Nullable String> current = new ThreadLocal<>();

	}

	@Configuration(proxyBeanMethods = false)
	static class Tenants {

		final AtomicInteger customized = new AtomicInteger();

		@Bean
		@Order(1)
		ScheduleRequestCustomizer tenantCustomizer() {
			return (request) -> {
				this.customized.incrementAndGet();
				return request.header("tenant", String.valueOf(Tenant.current.get()));
			};
		}

		@Bean
		@Order(2)
		ScheduleRequestCustomizer prefixCustomizer() {
			return (request) -> request.header("tenant", "tenant " + request.headers().get("tenant"));
		}

		@Bean
		DelayedListenerContainerCustomizer tenantOfListeners() {
			return (container) -> container.interceptor((message, next) -> {
				Tenant.current.set(message.headers().get("tenant"));
				try {
					return next.proceed();
				}
				finally {
					Tenant.current.remove();
				}
			});
		}

	}

	static class Listener {

		final Map<String, String> tenants = new ConcurrentHashMap<>();

		@DelayedListener(queue = "orders")
		void handle(DelayedMessage<String> message) {
			this.tenants.put(message.id(), String.valueOf(Tenant.current.get()));
		}

	}

	@Test
	void headerSetByACustomizerReachesEveryListener() {
		ConfigurableApplicationContext app = this.applications.start(Tenants.class, Listener.class);
		DelayQueueOperations queue = app.getBean(DelayQueueOperations.class);
		Tenant.current.set("7");
		try {
			queue.schedule(request("one"));
			queue.scheduleAll(List.of(request("two"), request("three")));
			new TransactionTemplate(new Transactions()).executeWithoutResult((status) -> {
				queue.scheduleAfterCommit(request("four"));
				// The message belongs to the tenant of the schedule call, not of the
				// commit
				Tenant.current.set("8");
			});
		}
		finally {
			Tenant.current.remove();
		}

		Listener listener = app.getBean(Listener.class);
		Awaitility.await().until(() -> listener.tenants.size() == 4);
		assertThat(listener.tenants.values()).containsOnly("tenant 7");
		assertThat(app.getBean(Tenants.class).customized).hasValue(4);
	}

	@Test
	void repeatedCallIsCustomizedOnce() {
		ConfigurableApplicationContext app = this.applications.start(Tenants.class);
		DelayQueueOperations queue = app.getBean(DelayQueueOperations.class);
		queue.schedule(request("warm"));
		this.way.cutNextReplyTo("one");

		assertThat(queue.schedule(request("one")).isAccepted()).isTrue();

		assertThat(this.way.cuts()).isOne();
		assertThat(app.getBean(Tenants.class).customized).hasValue(2);
	}

	@Configuration(proxyBeanMethods = false)
	static class BrokenCustomizer {

		@Bean
		ScheduleRequestCustomizer broken() {
			return (request) -> switch (request.id().orElseThrow()) {
				case "null" -> null;
				case "other" -> ScheduleRequest.to("elsewhere").payload("p").delay(Duration.ZERO);
				case "throws" -> throw new IllegalStateException("no tenant");
				default -> request;
			};
		}

	}

	@Test
	void customizerThatBreaksItsContractIsNamedAndNothingIsStored() {
		DelayQueueOperations queue = this.applications.start(BrokenCustomizer.class)
			.getBean(DelayQueueOperations.class);
		assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(() -> queue.schedule(request("null")))
			.withMessageContaining("request is 'null' but must be one for queue 'orders' after ")
			.withMessageContaining("BrokenCustomizer");
		assertThatExceptionOfType(InvalidMessageException.class)
			.isThrownBy(() -> queue.scheduleAll(List.of(request("good"), request("other"))))
			.withMessageContaining("queue is 'elsewhere' but must be 'orders' also after ");
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> queue.schedule(request("throws")))
			.withMessage("no tenant");
		assertThat((List<?>) this.redis.call("KEYS", "*:messages")).isEmpty();
	}

	private static ScheduleRequest request(String id) {
		return ScheduleRequest.to("orders").payload("p").id(id).delay(Duration.ZERO);
	}

}
