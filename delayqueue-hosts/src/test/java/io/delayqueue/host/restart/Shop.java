package io.delayqueue.host.restart;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.ScheduleRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** An application whose classes each restart loads again. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(Shop.Orders.class)
public class Shop {

	/** The payload. */
	record Order(String article, @Nullable Integer price) {
	}

	static class Orders {

		final BlockingQueue<Order> handled = new LinkedBlockingQueue<>();

		@DelayedListener(queue = "orders")
		void handle(Order order) {
			this.handled.add(order);
		}

	}

	/**
	 * Starts the application, handles an order, leaves another one, and stops.
	 * @param arguments the arguments of the application
	 * @return the handled order
	 * @throws InterruptedException if the thread is interrupted
	 */
	public static String leave(String[] arguments) throws InterruptedException {
		try (ConfigurableApplicationContext context = start(arguments)) {
			DelayQueueOperations operations = context.getBean(DelayQueueOperations.class);
			operations.schedule(
					ScheduleRequest.to("orders").id("left").payload(new Order("tea", 7)).delay(Duration.ofHours(1)));
			operations.schedule("orders", new Order("cake", null), Duration.ZERO);
			return context.getBean(Orders.class).handled.take().toString();
		}
	}

	/**
	 * Starts the application, handles the order that an earlier start has left, and
	 * stops.
	 * @param arguments the arguments of the application
	 * @return the handled order
	 * @throws InterruptedException if the thread is interrupted
	 */
	public static String take(String[] arguments) throws InterruptedException {
		try (ConfigurableApplicationContext context = start(arguments)) {
			context.getBean(DelayQueueOperations.class).reschedule("orders", "left", Duration.ZERO);
			return context.getBean(Orders.class).handled.take().toString();
		}
	}

	private static ConfigurableApplicationContext start(String[] arguments) {
		return new SpringApplicationBuilder(Shop.class).run(arguments);
	}

}
