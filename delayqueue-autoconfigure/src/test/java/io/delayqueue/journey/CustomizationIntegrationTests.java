package io.delayqueue.journey;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.delayqueue.DeferException;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedListenerContainerCustomizer;
import io.delayqueue.DelayedListenerErrorHandler;
import io.delayqueue.DelayedListenerInterceptor;
import io.delayqueue.DelayedMessage;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageSnapshot;
import io.delayqueue.MessageState;
import io.delayqueue.RetryAfterException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleRequestCustomizer;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.journey.fixture.TestApplication;
import io.delayqueue.journey.fixture.Transactions;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Extension points around scheduling and handling: customizers, interceptors, error
 * handlers.
 */
@SuppressWarnings("NullAway.Init")
class CustomizationIntegrationTests {

	private RedisServer redis;

	private FaultProxy way;

	private TestApplication applications;

	@BeforeEach
	void startRedis() {
		this.redis = RedisServer.builder().start();
		this.way = FaultProxy.to(this.redis);
		this.applications = new TestApplication(this.way.uri()).with("delayqueue.defaults.back-off.first=100ms")
			.with("spring.data.redis.timeout=1s");
	}

	@AfterEach
	void stopAll() {
		this.applications.close();
		this.way.close();
		this.redis.close();
	}

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

	@Configuration(proxyBeanMethods = false)
	static class Deciding {

		final Handled handled = new Handled();

		final List<String> decided = new CopyOnWriteArrayList<>();

		final CountDownLatch leaseLost = new CountDownLatch(1);

		@DelayedListener(queue = "orders", errorHandler = "deciding", interceptors = "counting")
		void handle(DelayedMessage<String> message) throws InterruptedException {
			this.handled.add(message);
			if (message.payload().equals("hang") && message.attempt() == 1) {
				Awaitility.await().until(message::isLeaseLost);
				this.leaseLost.countDown();
				throw new IllegalStateException("stopped half-way");
			}
			if (message.attempt() == 1 && this.handled.runs().size() == 1) {
				throw new IllegalStateException("first");
			}
		}

		@Bean
		DelayedListenerErrorHandler deciding() {
			return (message, failure) -> {
				this.decided.add(failure.getClass().getSimpleName());
				switch (new String(message.payload(), StandardCharsets.UTF_8)) {
					case "\"later\"" -> throw new RetryAfterException(Duration.ofMillis(700), "later", failure);
					case "\"defer\"" -> throw new DeferException(Duration.ofMillis(50));
					case "\"again\"" -> throw failure;
					default -> {
					}
				}
			};
		}

		@Bean
		DelayedListenerInterceptor counting() {
			return (message, next) -> next.proceed();
		}

	}

	@Test
	void handledFailureAcknowledgesTheMessage() {
		Started app = start();
		app.schedule("m", "forgive");
		app.awaitGone("m");
		assertThat(app.bean().handled.runs()).hasSize(1);
		assertThat(app.bean().decided).containsExactly("IllegalStateException");
	}

	@Test
	void errorHandlerMaySetTheNextDueTime() {
		Started app = start();
		app.schedule("m", "later");
		List<Handled.Run> runs = app.bean().handled.await(2);
		assertThat(Duration.between(runs.get(0).at(), runs.get(1).at())).isGreaterThanOrEqualTo(Duration.ofMillis(700));
		assertThat(runs.get(1).attempt()).isEqualTo(2);
		app.awaitGone("m");
	}

	@Test
	void errorHandlerMayDefer() {
		Started app = start();
		app.schedule("m", "defer");
		assertThat(app.bean().handled.await(2).get(1).attempt()).isEqualTo(1);
		app.awaitGone("m");
	}

	@Test
	void errorHandlerMayRethrowTheFailure() {
		this.applications.with("delayqueue.defaults.max-attempts=1");
		Started app = start();
		app.schedule("m", "again");
		Awaitility.await()
			.until(() -> app.queue()
				.find("orders", "m")
				.map(MessageSnapshot::state)
				.orElseThrow() == MessageState.DEAD);
		assertThat(app.queue().find("orders", "m").orElseThrow().lastFailure()).contains("HANDLER_FAILED", "first");
	}

	/**
	 * The lease check also applies to a message that no other consumer has reclaimed yet,
	 * whose acknowledgement Redis would accept.
	 */
	@Test
	void messageIsNotAcknowledgedAfterItsListenerDetectedTheLostLease() throws InterruptedException {
		this.applications.with("delayqueue.defaults.visibility-timeout=1s");
		Started app = start();
		app.schedule("warm", "p");
		app.awaitGone("warm");
		app.schedule("m", "hang");
		app.bean().handled.await(2);
		// No heartbeat arrives: by the consumer's own clock the lease ends
		this.way.refuse();
		this.way.cutAll();
		assertThat(app.bean().leaseLost.await(2, TimeUnit.MINUTES)).isTrue();
		this.way.pass();

		List<Handled.Run> runs = app.bean().handled.await(3);
		assertThat(runs.get(2).id()).isEqualTo("m");
		assertThat(runs.get(2).attempt()).isEqualTo(2);
		app.awaitGone("m");
	}

	private Started start() {
		ConfigurableApplicationContext context = this.applications.start(Deciding.class);
		return new Started(context.getBean(Deciding.class), context.getBean(DelayQueueOperations.class));
	}

	private record Started(Deciding bean, DelayQueueOperations queue) {

		void schedule(String id, String payload) {
			this.queue.schedule(ScheduleRequest.to("orders").payload(payload).id(id).delay(Duration.ZERO));
		}

		void awaitGone(String id) {
			Awaitility.await().until(() -> this.queue.find("orders", id).isEmpty());
		}

	}

	private static ScheduleRequest request(String id) {
		return ScheduleRequest.to("orders").payload("p").id(id).delay(Duration.ZERO);
	}

}
