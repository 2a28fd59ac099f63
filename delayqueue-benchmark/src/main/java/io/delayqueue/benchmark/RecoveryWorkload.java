package io.delayqueue.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleOutcomeUnknownException;
import io.delayqueue.test.redis.ChildProcess;
import io.delayqueue.test.redis.RedisServer;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.util.FileSystemUtils;

/**
 * Workload W18: how late messages are while a process is killed, another one is frozen,
 * and Redis is frozen. Four processes handle messages at a steady rate; each handler
 * takes half a second, and a process has fewer threads than there are messages at work,
 * so that the killed process has some of them.
 */
final class RecoveryWorkload implements Workload {

	private static final int PROCESSES = 4;

	private static final int RATE = 36;

	private static final int AHEAD_MILLIS = 1000;

	private static final int HANDLER_MILLIS = 500;

	/** Each line of the result is about messages that are due within this time. */
	private static final int INTERVAL_SECONDS = 2;

	private static final Duration LONGEST_IDLE = Duration.ofSeconds(5);

	private static final Duration LIMIT = Duration.ofMinutes(2);

	private final Scale scale;

	RecoveryWorkload(Scale scale) {
		this.scale = scale;
	}

	@Override
	public Set<Contender> contenders() {
		return EnumSet.of(Contender.STARTER);
	}

	@Override
	public List<Measured> run(Contender contender, Target target) throws InterruptedException {
		try {
			Path directory = Files.createTempDirectory("recovery");
			List<ChildProcess> workers = new ArrayList<>();
			List<Path> outputs = IntStream.range(0, PROCESSES).mapToObj((i) -> directory.resolve("" + i)).toList();
			try (ConfigurableApplicationContext producer = StarterPeer.start(target, new Object())) {
				for (Path output : outputs) {
					workers.add(StartWorkload.launch(Worker.class, output, target.all()));
				}
				await(outputs, Set.of(-1), PROCESSES);
				return run(producer.getBean(DelayQueueOperations.class), target.server(), workers, outputs);
			}
			finally {
				workers.forEach(ChildProcess::close);
				FileSystemUtils.deleteRecursively(directory);
			}
		}
		catch (IOException ex) {
			throw new BenchmarkException("the applications cannot be started: " + ex);
		}
	}

	private List<Measured> run(DelayQueueOperations delayQueue, RedisServer redis, List<ChildProcess> workers,
			List<Path> outputs) throws IOException, InterruptedException {
		List<Fault> faults = List.of(new Fault(20, () -> killBusy(workers.get(0), outputs.get(0))),
				new Fault(65, workers.get(1)::freeze), new Fault(75, workers.get(1)::resume),
				new Fault(110, redis::freeze), new Fault(115, redis::resume));
		int seconds = this.scale.seconds(140);
		Map<Integer, Long> due = new HashMap<>();
		long began = System.nanoTime();
		long beganMillis = System.currentTimeMillis();
		Thread injector = new Thread(() -> inject(faults, began));
		injector.start();
		Set<Integer> accepted = new HashSet<>();
		for (int number = 0; number < seconds * RATE; number++) {
			TimeUnit.NANOSECONDS.sleep(began + number * TimeUnit.SECONDS.toNanos(1) / RATE - System.nanoTime());
			Message message = new Message(number, System.currentTimeMillis() + AHEAD_MILLIS);
			due.put(number, message.dueMillis());
			try {
				delayQueue.schedule(StarterPeer.request(message));
				accepted.add(number);
			}
			catch (ScheduleOutcomeUnknownException ex) {
				// It may be delivered, and need not be
			}
			catch (DelayQueueException ex) {
				due.remove(number);
			}
		}
		injector.join();
		Map<Integer, Long> handled = await(outputs, accepted, 1);
		return lateness(due, handled, beganMillis + AHEAD_MILLIS, Math.max(1, seconds / INTERVAL_SECONDS));
	}

	private void inject(List<Fault> faults, long began) {
		try {
			for (Fault fault : faults) {
				long atNanos = began + TimeUnit.SECONDS.toNanos(this.scale.seconds(fault.second()));
				TimeUnit.NANOSECONDS.sleep(atNanos - System.nanoTime());
				fault.happens().run();
			}
		}
		catch (InterruptedException ex) {
			throw new BenchmarkException("interrupted");
		}
	}

	/**
	 * Kills a process just after it has handled a message, when it has others at work; a
	 * process that handles nothing is killed after a while.
	 */
	private static void killBusy(ChildProcess worker, Path output) {
		long end = System.nanoTime() + LONGEST_IDLE.toNanos();
		long length = output.toFile().length();
		while (output.toFile().length() == length && System.nanoTime() - end < 0) {
			LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
		}
		worker.kill();
	}

	/**
	 * Waits until messages are handled.
	 * @param numbers the numbers of the messages
	 * @param times how often at least each is handled
	 * @return when the handler of each message began for the first time that it ended, ms
	 */
	private static Map<Integer, Long> await(List<Path> outputs, Set<Integer> numbers, int times)
			throws IOException, InterruptedException {
		long end = System.nanoTime() + LIMIT.toNanos();
		while (true) {
			Map<Integer, List<Long>> handled = new HashMap<>();
			for (Path output : outputs) {
				for (String line : Files.exists(output) ? Files.readAllLines(output) : List.<String>of()) {
					String[] words = line.split(" ", -1);
					if (words[0].equals(Worker.HANDLED) && words.length == 3) {
						handled.computeIfAbsent(Integer.valueOf(words[1]), (number) -> new ArrayList<>())
							.add(Long.valueOf(words[2]));
					}
				}
			}
			if (numbers.stream().allMatch((number) -> handled.getOrDefault(number, List.of()).size() >= times)) {
				Map<Integer, Long> first = new HashMap<>();
				handled.forEach((number, at) -> first.put(number, Collections.min(at)));
				return first;
			}
			if (System.nanoTime() - end > 0) {
				throw new BenchmarkException("messages were lost, or a process has not started");
			}
			TimeUnit.MILLISECONDS.sleep(500);
		}
	}

	private static List<Measured> lateness(Map<Integer, Long> due, Map<Integer, Long> handled, long from,
			int intervals) {
		List<List<Long>> lateness = new ArrayList<>();
		for (int i = 0; i < intervals; i++) {
			lateness.add(new ArrayList<>());
		}
		due.forEach((number, dueMillis) -> {
			int interval = (int) ((dueMillis - from) / 1000 / INTERVAL_SECONDS);
			Long at = handled.get(number);
			if (at != null && interval < intervals) {
				if (at < dueMillis) {
					throw new BenchmarkException("a message was early");
				}
				lateness.get(interval).add(at - dueMillis);
			}
		});
		List<Measured> measured = new ArrayList<>();
		for (int i = 0; i < intervals; i++) {
			List<Long> sorted = lateness.get(i).stream().sorted().toList();
			if (!sorted.isEmpty()) {
				String line = "second " + i * INTERVAL_SECONDS + ", ";
				measured.add(new Measured(line + "p50 ms", sorted.get(sorted.size() / 2)));
				measured.add(new Measured(line + "longest ms", sorted.get(sorted.size() - 1)));
			}
		}
		return measured;
	}

	private record Fault(int second, Runnable happens) {
	}

	/** The process that handles messages. */
	static final class Worker {

		static final String HANDLED = "handled";

		private Worker() {
		}

		/**
		 * Handles messages until the process is killed, and prints the number and the
		 * time of each, ms since 1970.
		 * @param arguments properties, each as {@code name=value}
		 */
		public static void main(String[] arguments) {
			new SpringApplicationBuilder(StarterPeer.Application.class).web(WebApplicationType.NONE)
				.properties(StarterPeer.PROPERTIES)
				.properties(arguments)
				.initializers((context) -> StarterPeer.register(context, "listener",
						new StarterPeer.Listener(Worker::handle)))
				.run();
			print(-1, System.currentTimeMillis());
		}

		private static void handle(String payload) {
			long now = System.currentTimeMillis();
			try {
				TimeUnit.MILLISECONDS.sleep(HANDLER_MILLIS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			print(Message.of(payload).number(), now);
		}

		private static void print(int number, long millis) {
			System.out.println(HANDLED + " " + number + " " + millis);
		}

	}

}
