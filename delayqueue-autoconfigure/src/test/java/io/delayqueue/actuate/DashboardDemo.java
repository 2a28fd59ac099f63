package io.delayqueue.actuate;

import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.delayqueue.DelayQueueAdmin;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.ScheduleRequest;

import org.springframework.context.annotation.Configuration;

import static org.awaitility.Awaitility.await;

/**
 * An application as somebody on call may find it: most is well, one queue is late, one is
 * paused, and some messages have failed for good.
 */
final class DashboardDemo implements AutoCloseable {

	private final AtomicInteger number = new AtomicInteger(4100);

	final WebApplication application;

	private final DelayQueueOperations delayQueue;

	private DashboardDemo(WebApplication application) {
		this.application = application;
		this.delayQueue = application.bean(DelayQueueOperations.class);
	}

	static DashboardDemo start(URI redis) {
		DashboardDemo demo = new DashboardDemo(WebApplication.start(redis, Listeners.class,
				"management.endpoint.delayqueue.access=unrestricted",
				"management.endpoint.delayqueue.show-payloads=always", "delayqueue.queues.callback.max-attempts=4",
				"delayqueue.queues.cart-nudge.max-attempts=4", "delayqueue.defaults.back-off.first=1ms",
				"delayqueue.defaults.back-off.max=20ms", "delayqueue.queues.invoice-reminder.partitions=3",
				"delayqueue.queues.callback.never-retried=" + "java.lang.IllegalArgumentException",
				"delayqueue.queues.cart-nudge.back-off.first=40m", "delayqueue.queues.cart-nudge.back-off.max=2h"));
		demo.fill();
		return demo;
	}

	private void fill() {
		orders();
		callbacks();
		nudges();
		Instant now = Instant.now();
		for (int i = 0; i < 34; i++) {
			at("push-delivery", "push-" + (7200 + i), now.minusSeconds(760 - 20 * i));
		}
		for (int i = 0; i < 260; i++) {
			at("invoice-reminder", "inv-2026-" + (18000 + i), now.plus(Duration.ofMinutes(7L * i * i / 9)));
		}
		for (int i = 0; i < 18; i++) {
			at("report-export", "export-" + (310 + i), now.minusSeconds(200 - 9 * i));
		}
		this.application.bean(DelayQueueAdmin.class).pause("report-export");
	}

	private void orders() {
		for (int second : List.of(25, 50, 70, 200, 260, 420, 610, 700, 800, 850, 1000, 2000, 2800, 4000, 9000, 40000)) {
			for (int i = 0; i < 3 + second % 7; i++) {
				at("order-timeout", "order-" + this.number.incrementAndGet(), Instant.now().plusSeconds(second + i));
			}
		}
	}

	private void callbacks() {
		for (int i = 0; i < 14; i++) {
			at("callback", "partner-" + "abc".charAt(i % 3) + "-" + (9001 + i), Instant.now());
		}
		this.application.consume("callback", 4, (delivery) -> {
			int last = delivery.id().charAt(delivery.id().length() - 1) - '0';
			if (last == 4) {
				throw new IllegalArgumentException("The partner's address is not a URL: 'partner.example'");
			}
			throw (last % 2 == 0) ? new SocketTimeoutException("Read timed out after 5 s: https://a.example/orders")
					: new IllegalStateException("https://b.example/orders answered 502 Bad Gateway");
		});
		await().until(() -> this.application.bean(DelayQueueAdmin.class)
			.deadLetters("callback", null, 100)
			.deadLetters()
			.size() == 14);
	}

	private void nudges() {
		this.delayQueue.schedule(ScheduleRequest.to("cart-nudge")
			.payload(new Cart("cart-77", "u-1402", List.of("sku-12", "sku-90"), "EUR 84.90"))
			.id("cart-77")
			.group("u-1402")
			.header("source", "shop")
			.header("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
			.delay(Duration.ZERO));
		this.application.consume("cart-nudge", 2, (delivery) -> {
			throw new IllegalStateException("The mail server is busy: 421 4.3.2 try again later");
		});
		await().until(() -> this.delayQueue.find("cart-nudge", "cart-77").orElseThrow().dueAt() != null
				&& this.application.get("/actuator/delayqueue/cart-nudge/message?id=cart-77")
					.json()
					.get("attempts")
					.asInt() == 1);
	}

	/** Closes orders, and takes its time. */
	@Configuration(proxyBeanMethods = false)
	static class Listeners {

		@DelayedListener(queue = "order-timeout", concurrency = "8")
		void close(String order) {
			await().pollDelay(Duration.ofMillis(300 + 200 * (order.hashCode() & 3))).until(() -> true);
		}

	}

	/** What a cart holds. */
	record Cart(String cart, String user, List<String> items, String total) {
	}

	/** What a second brings. */
	void tick(int second) {
		int several = 6 + (int) (5 * Math.sin(second / 3.0)) + second % 3;
		for (int i = 0; i < several; i++) {
			at("order-timeout", "order-" + this.number.incrementAndGet(),
					Instant.now().minusMillis(40L * (second % 5)));
		}
	}

	private void at(String queue, String id, Instant due) {
		this.delayQueue.schedule(ScheduleRequest.to(queue).payload(id).id(id).dueAt(due));
	}

	@Override
	public void close() {
		this.application.close();
	}

}
