package io.delayqueue.benchmark;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * The process that {@link StartWorkload} starts: an empty application that prints the
 * time, the memory and the threads of its start. This class is also loaded in a JVM whose
 * class path does not contain the starter.
 */
final class StartedApplication {

	/**
	 * The beginning of each printed line with a value. The rest of the line consists of a
	 * name, {@code =} and a number.
	 */
	static final String VALUE = "measured ";

	private StartedApplication() {
	}

	/**
	 * Starts the application without the starter.
	 * @param arguments are ignored
	 * @throws IOException if the operating system does not report the memory
	 */
	public static void main(String[] arguments) throws IOException {
		SpringApplication application = new SpringApplicationBuilder(Empty.class).web(WebApplicationType.NONE).build();
		ConfigurableApplicationContext context = application.run();
		uptime("started ms");
		cost();
		context.close();
	}

	private static void uptime(String name) {
		print(name, (double) ManagementFactory.getRuntimeMXBean().getUptime());
	}

	private static void cost() throws IOException {
		System.gc();
		print("heap MB", ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / 1048576.0);
		print("threads", ManagementFactory.getThreadMXBean().getThreadCount());
		Path status = Path.of("/proc/self/status");
		if (Files.exists(status)) {
			for (String line : Files.readAllLines(status)) {
				if (line.startsWith("VmRSS:")) {
					print("resident MB", Double.parseDouble(line.replaceAll("\\D", "")) / 1024);
				}
			}
		}
	}

	private static void print(String name, double value) {
		System.out.println(VALUE + name + "=" + value);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Empty {

	}

	/** Starts the application with the starter and one listener. */
	static final class WithStarter {

		private WithStarter() {
		}

		/**
		 * Starts the application and schedules a message that is due at once.
		 * @param arguments properties, each as {@code name=value}
		 * @throws IOException if the operating system does not report the memory
		 * @throws InterruptedException if the wait for the delivery is interrupted
		 */
		public static void main(String[] arguments) throws IOException, InterruptedException {
			CountDownLatch delivered = new CountDownLatch(1);
			try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Empty.class)
				.web(WebApplicationType.NONE)
				.properties(arguments)
				.initializers((created) -> StarterPeer.register(created, "listener",
						new StarterPeer.Listener((payload) -> delivered.countDown())))
				.run()) {
				uptime("started ms");
				context.getBean(DelayQueueOperations.class)
					.schedule(ScheduleRequest.to(StarterPeer.QUEUE).payload("first").delay(Duration.ZERO));
				if (!delivered.await(1, TimeUnit.MINUTES)) {
					throw new BenchmarkException("the first message was not delivered");
				}
				uptime("first delivery ms");
				cost();
			}
		}

	}

}
