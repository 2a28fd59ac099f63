package io.delayqueue.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import io.delayqueue.RecurringSchedule;
import io.delayqueue.RecurringSnapshot;
import io.delayqueue.RedisRefusedException;
import io.delayqueue.UnknownRecordException;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.redis.DelayQueueRedisTemplate;
import io.delayqueue.store.Members;
import io.delayqueue.store.Partitioner;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.fault.Scripts;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.core.HashOperations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Recurring schedules that the processes of applications declare.
 */
@Tag("slow")
class DeclaredSchedulesIntegrationTests {

	private static final String QUEUE = "digests";

	private static final String OLD = "0 0 3 * * *";

	private static final String NEW = "0 0 4 * * *";

	private final String prefix = "declared-" + UUID.randomUUID();

	private final List<Process> processes = new ArrayList<>();

	@RegisterExtension
	final TestEngines engines = new TestEngines();

	private DelayQueueEngine observer;

	@BeforeEach
	void connect() {
		this.observer = engine();
	}

	@AfterEach
	void close() {
		List.copyOf(this.processes).forEach(Process::close);
	}

	@Test
	void theOldestProcessDecidesAndNothingFlaps() {
		Process old = start("app", daily("a", OLD), daily("gone", OLD));
		await().until(() -> cron("a").equals(Optional.of(OLD)) && cron("gone").isPresent());
		Process second = start("app", daily("a", OLD), daily("gone", OLD));
		Set<Instant> stored = new LinkedHashSet<>();
		Process young = start("app", daily("a", NEW), daily("b", NEW));
		await().until(() -> {
			stored.add(storedAt("a"));
			return cron("b").equals(Optional.of(NEW));
		});
		assertThat(cron("a")).contains(OLD);

		old.close();
		// The declaration of the second process still counts
		await().until(() -> cron("b").isPresent() && second.isSettled());
		stored.add(storedAt("a"));
		assertThat(cron("a")).contains(OLD);
		assertThat(get("gone").suspendedSince()).isEmpty();
		assertThat(stored).hasSize(1);

		second.close();
		await().until(() -> cron("a").equals(Optional.of(NEW)) && get("gone").suspendedSince().isPresent());
		assertThat(get("gone").next()).isEmpty();
		assertThat(get("gone").application()).contains("app");
		young.close();
	}

	@Test
	void aDeploymentBackAndForthChangesEachDefinitionOncePerTakeOver() {
		Process other = start("other", daily("theirs", OLD));
		await().until(() -> cron("theirs").isPresent());
		Instant theirs = storedAt("theirs");
		Process last = start("app", daily("a", OLD), daily("gone", OLD));
		await().until(() -> cron("a").equals(Optional.of(OLD)) && cron("gone").isPresent());
		this.observer.recurring().pause(QUEUE, "a");
		Set<Instant> stored = new LinkedHashSet<>(Set.of(storedAt("a")));
		for (int n = 0; n < 6; n++) {
			boolean isNew = n % 2 == 0;
			String before = isNew ? OLD : NEW;
			String after = isNew ? NEW : OLD;
			Process next = isNew ? start("app", daily("a", NEW), daily("b", NEW))
					: start("app", daily("a", OLD), daily("gone", OLD));
			await().until(() -> {
				stored.add(storedAt("a"));
				return this.observer.recurring()
					.get(QUEUE, isNew ? "b" : "gone")
					.filter((snapshot) -> snapshot.suspendedSince().isEmpty())
					.isPresent();
			});
			assertThat(cron("a")).contains(before);
			last.close();
			await().until(() -> {
				stored.add(storedAt("a"));
				return cron("a").equals(Optional.of(after)) && get(isNew ? "gone" : "b").suspendedSince().isPresent();
			});
			stored.add(storedAt("a"));
			last = next;
		}
		assertThat(stored).hasSize(7);
		assertThat(get("a").pausedSince()).isPresent();
		assertThat(this.observer.recurring().list(QUEUE, null, 10).schedules()).extracting(RecurringSnapshot::key)
			.containsExactlyInAnyOrder("a", "b", "gone", "theirs");
		assertThat(storedAt("theirs")).isEqualTo(theirs);
		assertThat(get("theirs").suspendedSince()).isEmpty();
		other.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "1 gen 1 0 0 - 0 0 0 0 1\n\n{\"cron\":\"0 0 3 * * *\",\"zone\":\"Europe/Atlantis\"}\n\n",
			"1 2\n", "of another program" })
	void aDefinitionThatCannotBeReadIsReplacedByItsDeclaration(String unreadable) {
		write("a", unreadable);
		assertThatExceptionOfType(UnknownRecordException.class).isThrownBy(() -> get("a"));
		start("app", daily("a", OLD));
		await().until(() -> stored("a").contains("\"app\":\"app\""));
		assertThat(cron("a")).contains(OLD);
		// A second call gives it its instant, once no other partition has the key
		await().until(() -> get("a").next().isPresent());
	}

	@Test
	void aDefinitionOfANewerVersionIsLeftAlone() {
		write("a", "2 of a newer version");
		start("app", daily("a", OLD), daily("b", OLD));
		await().until(() -> cron("b").isPresent());
		assertThat(stored("a")).isEqualTo("2 of a newer version");
		assertThatExceptionOfType(RedisRefusedException.class)
			.isThrownBy(() -> this.observer.recurring().delete(QUEUE, "a"))
			.withMessageContaining("NEWER");
	}

	@Test
	void aDefinitionThatCannotBeReadKeepsNoOtherOneFromBeingSuspended() {
		Process old = start("app", daily("a", OLD), daily("b", OLD), daily("c", OLD), daily("d", OLD));
		await().until(() -> List.of("a", "b", "c", "d").stream().allMatch((key) -> cron(key).isPresent()));
		for (String key : List.of("a", "c")) {
			write(key, "2 of a newer version");
		}
		old.close();
		start("app", daily("e", OLD));
		await().until(() -> get("b").suspendedSince().isPresent() && get("d").suspendedSince().isPresent());
		assertThat(stored("a")).isEqualTo("2 of a newer version");
	}

	@Test
	void aProcessThatDeclaresNoScheduleAnyMoreSuspendsWhatNoOtherProcessDeclares() {
		List<RecurringSchedule> declared = new CopyOnWriteArrayList<>(List.of(daily("a", OLD), daily("b", OLD)));
		Process process = start(engine(), "app", declared);
		await().until(() -> cron("a").isPresent() && cron("b").isPresent());
		Process second = start("app", daily("b", OLD));
		String key = this.prefix + ":{members}:declarations";
		HashOperations<String, Object, Object> declarations = this.engines.template().opsForHash();
		await().until(() -> declarations.hasKey(key, second.engine.fleet().member()));

		declared.clear();
		process.engine.declaredSchedules().storeNow();
		await().until(() -> get("a").suspendedSince().isPresent());
		assertThat(get("b").suspendedSince()).isEmpty();
		assertThat(declarations.hasKey(key, process.engine.fleet().member())).isFalse();

		declared.add(daily("a", OLD));
		process.engine.declaredSchedules().storeNow();
		await().until(() -> get("a").suspendedSince().isEmpty());
	}

	@Test
	void anotherApplicationTouchesNothing() {
		start("app", daily("a", OLD));
		await().until(() -> cron("a").isPresent());
		this.observer.recurring().createOrReplace(RecurringSchedule.to(QUEUE, "called").payload("p").cron(OLD, "UTC"));
		Process other = start("other", daily("a", NEW), daily("called", NEW), daily("other", NEW));
		await().until(() -> cron("other").isPresent());
		assertThat(cron("a")).contains(OLD);
		assertThat(cron("called")).contains(OLD);

		other.close();
		Process again = start("other", daily("another", NEW));
		await().until(() -> get("other").suspendedSince().isPresent());
		assertThat(get("a").suspendedSince()).isEmpty();
		assertThat(get("called").suspendedSince()).isEmpty();
		assertThat(get("called").application()).isEmpty();
		again.close();
	}

	@Test
	void aProcessThatWasFrozenSuspendsNothingOfAProcessThatHasStartedMeanwhile() {
		List<RecurringSchedule> declared = new CopyOnWriteArrayList<>(List.of(daily("a", OLD)));
		try (FaultProxy proxy = FaultProxy.to(SharedRedis.get().host(), SharedRedis.get().port())) {
			Process frozen = start(frozen(proxy), "app", declared);
			await().until(() -> cron("a").isPresent());
			proxy.beforeNextRequest(readOfDeclarations(), () -> {
				start("app", daily("a", OLD), daily("b", NEW));
				await().until(() -> cron("b").isPresent());
			});
			add(frozen, declared, daily("c", OLD));
			// A second turn begins when the first one has ended
			add(frozen, declared, daily("d", OLD));
			assertThat(get("b").suspendedSince()).isEmpty();
		}
	}

	@Test
	void aProcessThatWasFrozenDoesNotReplaceTheDefinitionOfItsSuccessor() {
		List<RecurringSchedule> declared = new CopyOnWriteArrayList<>(List.of(daily("a", OLD)));
		try (FaultProxy proxy = FaultProxy.to(SharedRedis.get().host(), SharedRedis.get().port())) {
			Process frozen = start(frozen(proxy), "app", declared);
			await().until(() -> cron("a").isPresent());
			HashOperations<String, Object, Object> declarations = this.engines.template().opsForHash();
			String key = this.prefix + ":{members}:declarations";
			String member = frozen.engine.fleet().member();
			CountDownLatch replaced = new CountDownLatch(1);
			proxy.beforeNextRequest(readOfDeclarations(), () -> {
				await().until(() -> declarations.size(key) > 2);
				// So the process stores its definition again
				declarations.delete(key, member);
				proxy.beforeNextRequest(Scripts.digest("put-recurring"), () -> {
					new Members(this.observer.calls()).leave(member);
					await().until(() -> cron("a").equals(Optional.of(NEW)));
					replaced.countDown();
				});
			});
			start("app", daily("a", NEW));
			await().until(() -> replaced.getCount() == 0);
			add(frozen, declared, daily("c", OLD));
			assertThat(cron("a")).contains(NEW);
		}
	}

	private String readOfDeclarations() {
		String key = this.prefix + ":{members}:declarations";
		return "HGETALL\r\n$" + key.length() + "\r\n" + key;
	}

	private DelayQueueEngine frozen(FaultProxy proxy) {
		JedisConnectionFactory connections = new JedisConnectionFactory(
				new RedisStandaloneConfiguration(proxy.host(), proxy.port()),
				JedisClientConfiguration.builder().readTimeout(Duration.ofMinutes(1)).build());
		DelayQueueRedisTemplate template = new DelayQueueRedisTemplate(connections);
		connections.afterPropertiesSet();
		connections.start();
		template.afterPropertiesSet();
		template.start();
		return this.engines.add(DelayQueueEngine.builder(template, DeclaredSchedulesIntegrationTests::settings)
			.keyPrefix(this.prefix)
			.intervals(TestEngines.SHORT)
			.build());
	}

	/** Declares one more schedule, and awaits that it is stored. */
	private void add(Process process, List<RecurringSchedule> declared, RecurringSchedule schedule) {
		declared.add(schedule);
		process.engine.declaredSchedules().storeNow();
		await().until(() -> cron(schedule.key()).isPresent());
	}

	private static RecurringSchedule daily(String key, String cron) {
		return RecurringSchedule.to(QUEUE, key).payload("p").cron(cron, "UTC");
	}

	private RecurringSnapshot get(String key) {
		return this.observer.recurring().get(QUEUE, key).orElseThrow();
	}

	private Optional<String> cron(String key) {
		return this.observer.recurring().get(QUEUE, key).map((snapshot) -> snapshot.recurrence().cron());
	}

	/** The partition of a definition without a group. */
	private String home(String key) {
		return this.prefix + ":{digests:" + Partitioner.of(key, null, 2) + "}:recurring";
	}

	private void write(String key, String definition) {
		this.engines.template().opsForHash().put(home(key), key, definition.getBytes(StandardCharsets.UTF_8));
	}

	private String stored(String key) {
		byte[] definition = (byte[]) this.engines.template().opsForHash().get(home(key), key);
		return new String(Objects.requireNonNull(definition), StandardCharsets.UTF_8);
	}

	private Instant storedAt(String key) {
		return get(key).state().storedAt();
	}

	private Process start(String application, RecurringSchedule... declared) {
		return start(engine(), application, List.of(declared));
	}

	private Process start(DelayQueueEngine engine, String application, List<RecurringSchedule> declared) {
		QueueConsumer consumer = engine.consumers().create(settings(QUEUE), (delivery) -> null, null, null);
		consumer.start();
		engine.declaredSchedules().declare(application, () -> declared);
		Process process = new Process(engine, consumer);
		this.processes.add(process);
		// The order of the processes is that of their membership
		await().until(() -> engine.fleet()
			.roster()
			.members()
			.stream()
			.anyMatch((member) -> member.name().equals(engine.fleet().member())));
		return process;
	}

	private final class Process {

		private final DelayQueueEngine engine;

		private final QueueConsumer consumer;

		Process(DelayQueueEngine engine, QueueConsumer consumer) {
			this.engine = engine;
			this.consumer = consumer;
		}

		/** Whether the process has read that all closed processes have left. */
		boolean isSettled() {
			return this.engine.fleet().roster().members().size() == DeclaredSchedulesIntegrationTests.this.processes
				.size();
		}

		void close() {
			if (DeclaredSchedulesIntegrationTests.this.processes.remove(this)) {
				this.consumer.stop(Duration.ofSeconds(10));
				this.engine.close();
			}
		}

	}

	private DelayQueueEngine engine() {
		return this.engines.engine(this.prefix, DeclaredSchedulesIntegrationTests::settings,
				(builder) -> builder.intervals(TestEngines.SHORT));
	}

	private static QueueSettings settings(String queue) {
		return TestEngines.settings(queue, 2);
	}

}
