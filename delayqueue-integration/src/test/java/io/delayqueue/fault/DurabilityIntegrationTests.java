package io.delayqueue.fault;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A Redis that restarts with less data than it has confirmed. */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class DurabilityIntegrationTests {

	/**
	 * The data that {@code everysec} may hold back while the disk does not answer, with a
	 * margin.
	 */
	private static final Duration WINDOW = Duration.ofSeconds(4);

	/** Bytes; a message takes more. */
	private static final long CUT = 61;

	private RedisServer redis;

	private FaultHarness harness;

	private void start(AppendOnly appendOnly) {
		this.redis = RedisServer.builder().appendOnly(appendOnly).start();
		this.harness = new FaultHarness(this.redis.uri()).startWarm();
	}

	@AfterEach
	void stopAll() {
		this.harness.close();
		this.redis.close();
	}

	@Test
	@DisplayName("row 21: wherever the append-only file ends, a message exists with its location, or not at all")
	void truncatedFileNeverLeavesAMessageWithoutALocation() throws IOException {
		start(AppendOnly.ALWAYS);
		for (int i = 0; i < 10; i++) {
			this.harness.schedule("now-" + i, Duration.ZERO);
			this.harness.schedule("later-" + i, Duration.ofHours(1));
		}
		this.harness.ledger().await(10);
		this.harness.close();
		this.redis.kill();

		Path file = appendOnlyFile();
		Set<Integer> counts = new HashSet<>();
		while (counts.size() < 4) {
			// The server has removed the incomplete end
			long length = Files.size(file) - CUT;
			try (RandomAccessFile torn = new RandomAccessFile(file.toFile(), "rw")) {
				torn.setLength(length);
			}
			this.redis.start();
			Set<String> records = members("HKEYS", "messages");
			Set<String> locations = members("ZRANGE", "scheduled", "0", "-1");
			locations.addAll(members("HKEYS", "entries"));
			assertThat(locations).as("of " + length + " bytes").isEqualTo(records);
			counts.add(records.size());
			this.redis.kill();
		}
	}

	@Test
	@DisplayName("row 20: everysec with a slow disk loses only the last seconds, and work continues")
	void everysecWithASlowDiskLosesOnlyTheLastSeconds() throws IOException {
		start(AppendOnly.EVERY_SECOND);
		Process slow = slowDisk();
		try {
			List<Long> acceptedAt = new ArrayList<>();
			scheduleWhile(within(Duration.ofSeconds(6)), acceptedAt);
			scheduleWhile(this::isWriteHeldBack, acceptedAt);
			scheduleWhile(() -> !isWriteHeldBack(), acceptedAt);
			scheduleWhile(within(Duration.ofMillis(300)), acceptedAt);
			long killed = System.nanoTime();
			this.redis.kill();
			this.redis.restart();

			Set<String> left = this.harness.ledger().named(members("HKEYS", "messages"));
			int first = 0;
			while (first < acceptedAt.size() && left.contains("m-" + first)) {
				first++;
			}
			Duration span = Duration.ofNanos((first < acceptedAt.size()) ? killed - acceptedAt.get(first) : 0);
			System.out.printf("everysec, fsync takes 0.9 s, kill -9: accepted %d, lost %d, the last %d ms%n",
					acceptedAt.size(), acceptedAt.size() - first, span.toMillis());
			assertThat(left).as("no message after the first lost one is left").hasSize(first);
			assertThat(first).as("the disk was slow enough").isLessThan(acceptedAt.size());
			assertThat(span).isLessThan(WINDOW);
			this.harness.schedule("after", Duration.ZERO);
			Awaitility.await()
				.atMost(FaultHarness.LONG_ENOUGH)
				.untilAsserted(() -> assertThat(this.harness.ledger().handled()).containsAll(left).contains("after"));
		}
		finally {
			slow.destroyForcibly();
		}
	}

	/** Delays each flush of the server to its disk by 0.9 s. */
	private Process slowDisk() throws IOException {
		Process strace;
		try {
			strace = new ProcessBuilder("strace", "-f", "-p", Long.toString(this.redis.pid()), "-e", "trace=fdatasync",
					"-e", "inject=fdatasync:delay_enter=900000", "-o", "/dev/null")
				.redirectErrorStream(true)
				.start();
		}
		catch (IOException ex) {
			throw new IllegalStateException("This test needs strace, which makes a disk slow: install it", ex);
		}
		// "strace: Process 123 attached"
		String line = Objects.requireNonNullElse(strace.inputReader().readLine(), "");
		assertThat(line).contains("attached");
		return strace;
	}

	private void scheduleWhile(BooleanSupplier condition, List<Long> acceptedAt) {
		while (condition.getAsBoolean()) {
			this.harness.schedule("m-" + acceptedAt.size(), Duration.ofSeconds(20));
			acceptedAt.add(System.nanoTime());
		}
	}

	private static BooleanSupplier within(Duration duration) {
		long began = System.nanoTime();
		return () -> System.nanoTime() - began < duration.toNanos();
	}

	/**
	 * Whether the server does not write to its file now, because the disk does not
	 * answer.
	 */
	private boolean isWriteHeldBack() {
		return !String.valueOf(this.redis.call("INFO", "persistence")).contains("aof_buffer_length:0\r");
	}

	private Path appendOnlyFile() throws IOException {
		try (Stream<Path> files = Files.walk(this.redis.directory())) {
			return files.filter((file) -> file.toString().endsWith(".incr.aof")).findFirst().orElseThrow();
		}
	}

	private Set<String> members(String command, String key, String... range) {
		String[] words = Stream.concat(Stream.of(command, this.harness.key(key)), Stream.of(range))
			.toArray(String[]::new);
		Set<String> members = new HashSet<>();
		((List<?>) Objects.requireNonNull(this.redis.call(words)))
			.forEach((member) -> members.add(String.valueOf(member)));
		return members;
	}

}
