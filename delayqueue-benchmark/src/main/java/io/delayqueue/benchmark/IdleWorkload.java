package io.delayqueue.benchmark;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.management.OperatingSystemMXBean;
import io.delayqueue.DelayedListener;
import io.delayqueue.test.fault.CommandLog;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Workload W5: the commands that an idle application sends, and its CPU time.
 */
final class IdleWorkload implements Workload {

	private final int settleSeconds;

	private final int seconds;

	/**
	 * Creates the workload.
	 * @param settleSeconds how long after the start of an application the measurement
	 * begins
	 * @param seconds how long each measurement lasts
	 */
	IdleWorkload(int settleSeconds, int seconds) {
		this.settleSeconds = settleSeconds;
		this.seconds = seconds;
	}

	@Override
	public Set<Contender> contenders() {
		return EnumSet.of(Contender.STARTER);
	}

	@Override
	public List<Measured> run(Contender contender, Target target) throws InterruptedException {
		List<Measured> measured = new ArrayList<>();
		for (int queues : new int[] { 1, 10, 100 }) {
			ConfigurableApplicationContext application = start(queues, StarterPeer.at(target.server()));
			try {
				TimeUnit.SECONDS.sleep(this.settleSeconds);
				long cpu = processCpuNanos();
				TimeUnit.SECONDS.sleep(this.seconds);
				double share = (processCpuNanos() - cpu) / 1e7 / this.seconds;
				try (CommandLog log = CommandLog.of(target.server())) {
					TimeUnit.SECONDS.sleep(this.seconds);
					measured.add(new Measured(queues + " queues, commands /s", (double) log.count() / this.seconds));
				}
				measured.add(new Measured(queues + " queues, % of a core", share));
			}
			finally {
				application.close();
			}
		}
		return measured;
	}

	/**
	 * Starts an idle application.
	 * @param queues the number of queues that the application consumes
	 * @param properties additional properties, each as {@code name=value}
	 */
	static ConfigurableApplicationContext start(int queues, String... properties) {
		return new SpringApplicationBuilder(StarterPeer.Application.class).web(WebApplicationType.NONE)
			.properties(StarterPeer.PROPERTIES)
			.properties(properties)
			.initializers((context) -> {
				StarterPeer.register(context, "names", new Names());
				for (int i = 0; i < queues; i++) {
					StarterPeer.register(context, "idle-" + i, new Idle());
				}
			})
			.run();
	}

	private static long processCpuNanos() {
		return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
	}

	/** Generates a different queue name for each listener. */
	static final class Names {

		private final AtomicInteger last = new AtomicInteger();

		public String next() {
			return "idle-" + this.last.incrementAndGet();
		}

	}

	static final class Idle {

		@DelayedListener(queue = "#{@names.next()}")
		void handle(String payload) {
			// No message is scheduled in this workload, so this listener is never called
		}

	}

}
