package io.delayqueue.fleet;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageKey;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.fleet.OlderEpochs.Progress;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.record.CallToken;
import io.delayqueue.record.Envelope;
import io.delayqueue.redis.DelayQueueRedisTemplate;
import io.delayqueue.store.Candidate;
import io.delayqueue.store.DeadLetterCarrier;
import io.delayqueue.store.Due;
import io.delayqueue.store.EpochCalls;
import io.delayqueue.store.EpochCalls.Arrival;
import io.delayqueue.store.EpochCalls.Carried;
import io.delayqueue.store.EpochCalls.End;
import io.delayqueue.store.Expiry;
import io.delayqueue.store.History;
import io.delayqueue.store.KnownMessages;
import io.delayqueue.store.NewMessage;
import io.delayqueue.store.Partitioner;
import io.delayqueue.store.ReadyMessages;
import io.delayqueue.store.ScheduledMessages;
import io.delayqueue.store.ScheduledMessages.Stored;
import io.delayqueue.store.StoredId;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the older epochs of a queue keep, and what is left of an epoch that has ended.
 */
@SuppressWarnings("NullAway.Init")
class OlderEpochsIntegrationTests {

	private static final Duration LATER = Duration.ofHours(1);

	private static final int MOST = 100;

	private final String prefix = "older-" + UUID.randomUUID();

	private final JedisConnectionFactory connections = new JedisConnectionFactory(
			new RedisStandaloneConfiguration(SharedRedis.get().host(), SharedRedis.get().port()));

	private DelayQueueRedisTemplate template;

	private DelayQueueEngine engine;

	private EpochCalls epochCalls;

	private DeadLetterCarrier carrier;

	private History history;

	private OlderEpochs olderEpochs;

	private EndSettings ends = new EndSettings(Duration.ofDays(7), MOST, null);

	@BeforeEach
	void connect() {
		this.connections.afterPropertiesSet();
		this.connections.start();
		this.template = new DelayQueueRedisTemplate(this.connections);
		this.template.afterPropertiesSet();
		this.template.start();
		this.engine = DelayQueueEngine.builder(this.template, (queue) -> settings()).keyPrefix(this.prefix).build();
		this.epochCalls = new EpochCalls(this.engine.calls());
		this.carrier = new DeadLetterCarrier(this.engine.queues(), this.epochCalls, this.engine.directory());
		this.history = new History(this.engine.calls());
		this.olderEpochs = new OlderEpochs(this.engine.queues(), this.engine.directory(), this.epochCalls, this.carrier,
				this.history);
	}

	@AfterEach
	void close() {
		this.engine.close();
		this.template.destroy();
		this.connections.destroy();
	}

	@Test
	void theHistoriesOfOlderEpochsHaveWhatTheNewerOnesLeaveOfTheMaximum() {
		Epochs first = this.engine.directory().register(settings());
		remember(first);
		endMessages(0, MOST);
		Epochs epochs = change(first, Epochs.from("orders", "2,1:3"));
		remember(epochs);
		endMessages(MOST, 60);
		List<Partition> older = epochs.partitions(epochs.older().get(0));
		assertThat(count(older)).isEqualTo(MOST);

		this.olderEpochs.end(epochs);

		assertThat(count(older)).isEqualTo(MOST - 60);
		assertThat(count(epochs.partitions(epochs.current()))).isEqualTo(60);
		for (Partition partition : older) {
			// The latest of each partition are left
			List<String> left = this.history.list(partition, History.Position.BEGIN, false, 1000)
				.stream()
				.map(History.Ended::id)
				.toList();
			assertThat(left).hasSizeGreaterThan(5)
				.isEqualTo(IntStream.range(0, MOST)
					.map((n) -> MOST - 1 - n)
					.mapToObj((n) -> "m-" + n)
					.filter((id) -> Partitioner.of(MessageKey.of("orders", id), epochs.older().get(0))
						.equals(partition))
					.limit(left.size())
					.toList());
		}

		endMessages(2 * MOST, 60);
		this.olderEpochs.end(epochs);
		assertThat(count(older)).isZero();
		assertThat(count(epochs.partitions(epochs.current()))).isEqualTo(120);
	}

	@Test
	void anEndedEpochKeepsTheNamesOfTheNewerEpochsOnly() {
		this.ends = EndSettings.NONE;
		Epochs first = this.engine.directory().register(settings());
		List<String> handled = new CopyOnWriteArrayList<>();
		QueueConsumer consumer = this.engine.consumers().create(settings(), (delivery) -> {
			handled.add(delivery.id());
			return null;
		}, null, null);
		consumer.start();
		for (int n = 0; n < 20; n++) {
			this.engine.operations()
				.schedule(ScheduleRequest.to("orders").id("m-" + n).group("g" + n).payload("p").delay(Duration.ZERO));
		}
		await().until(() -> handled.size() == 20);
		consumer.stop(Duration.ofSeconds(10));
		this.engine.admin().hold("orders", LATER, "why");
		this.engine.admin().pause("orders");
		Epochs epochs = change(first, Epochs.from("orders", "2,1:3"));
		await().until(() -> first.partitions()
			.stream()
			.allMatch((partition) -> this.epochCalls.remaining(partition).end() == End.ENDED));
		long before = bytes(first.partitions());
		assertThat(keys(first.partitions())).contains(key(new Partition("orders", 0), "ready"),
				key(new Partition("orders", 0), "done"));

		assertThat(this.olderEpochs.end(epochs)).isEqualTo(Progress.ONE_HAS_ENDED);

		assertThat(this.engine.directory().read("orders").orElseThrow().text()).isEqualTo("2;1:3");
		callLate(first.partitions());
		assertThat(keys(first.partitions())).containsExactlyInAnyOrder(key(new Partition("orders", 0), "control"),
				key(new Partition("orders", 1), "control"));
		for (Partition partition : first.partitions()) {
			assertThat(this.template.opsForHash().keys(key(partition, "control"))).contains("closed", "ended")
				.isSubsetOf("layout", "partitions", "closed", "ended");
			assertThat(bytes(List.of(partition))).isLessThan(250);
		}
		System.out
			.println("An ended epoch of two partitions had " + before + " bytes and has " + bytes(first.partitions()));
	}

	/** Calls of processes that have not read the newest epochs. */
	private void callLate(List<Partition> ended) {
		KnownMessages known = new KnownMessages(this.engine.calls());
		ScheduledMessages scheduled = new ScheduledMessages(this.engine.calls());
		for (Partition partition : ended) {
			Candidate candidate = new Candidate(partition, new StoredId("m-1", "g1"), true);
			String token = CallToken.lasting(LATER);
			assertThat(known.cancel(candidate, token, LATER).cancelled()).isEqualTo(KnownMessages.Cancelled.ELSEWHERE);
			assertThat(known.reschedule(candidate, Due.in(LATER), LATER.plus(LATER), CallToken.lasting(LATER), LATER)
				.moved()).isEqualTo(KnownMessages.Moved.ELSEWHERE);
			assertThat(scheduled
				.schedule(partition, Epochs.first("orders", 2), settings(),
						List.of(message("m-1", CallToken.lasting(LATER))))
				.answers()
				.get(0)
				.stored()).isEqualTo(Stored.ELSEWHERE);
			assertThat(new ReadyMessages(this.engine.calls()).read(partition, "late", 10).entries()).isEmpty();
		}
	}

	@Test
	void aLetterThatWasReadBeforeItsPartitionEndedIsReadAgain() {
		this.ends = EndSettings.NONE;
		Partition middle = new Partition("orders", 1, 0);
		QueueConsumer failing = this.engine.consumers().create(settings(), (delivery) -> {
			throw new IllegalStateException("refused");
		}, null, null);
		failing.start();
		StoredId id = new StoredId("dies", "g");
		this.engine.operations()
			.schedule(ScheduleRequest.to("orders").id(id.id()).group("g").payload("p").delay(Duration.ZERO));
		MessageKey key = MessageKey.of("orders", id.id()).inGroup("g");
		await().until(() -> this.engine.admin().deadLetter(key).isPresent());
		failing.stop(Duration.ofSeconds(10));
		Epochs first = this.engine.directory().read("orders").orElseThrow();
		Partition home = Partitioner.of(key, first.current());
		Epochs second = change(first, Epochs.from("orders", "2,1:1"));
		List<Carried> letters = this.epochCalls.carryOut(home, 0);
		assertThat(this.carrier.carry(home, second)).isEqualTo(DeadLetterCarrier.Progress.COMPLETE);
		assertThat(this.engine.admin().discard(key)).isTrue();
		Epochs third = change(second, Epochs.from("orders", "2,1:1,2:1"));
		assertThat(this.epochCalls.remaining(middle).end()).isEqualTo(End.LASTS);
		this.template.delete(key(middle, "done"));

		assertThat(this.epochCalls.end(middle)).isTrue();

		assertThat(this.epochCalls.carryIn(middle, third, letters, 0)).containsExactly(Arrival.LATE);
		Carried again = new Carried(id, letters.get(0).parts(), letters.get(0).readAtMillis() + LATER.toMillis());
		assertThat(this.epochCalls.carryIn(middle, third, List.of(again), 0)).containsExactly(Arrival.ELSEWHERE);
	}

	@Test
	void aPartitionWithMessagesDoesNotEnd() {
		Epochs first = this.engine.directory().register(settings());
		assertThat(this.epochCalls.end(first.partitions().get(0))).as("open").isFalse();
		for (int n = 0; n < 10; n++) {
			this.engine.operations().schedule(ScheduleRequest.to("orders").id("m-" + n).payload("p").delay(LATER));
		}
		change(first, Epochs.from("orders", "2,1:3"));
		Set<String> before = keys(first.partitions());
		assertThat(first.partitions()).noneMatch(this.epochCalls::end);
		assertThat(keys(first.partitions())).isEqualTo(before);
	}

	/** Closes all older partitions, and makes an epoch the current one. */
	private Epochs change(Epochs from, Epochs to) {
		to.older()
			.forEach((older) -> to.partitions(older).forEach((partition) -> this.epochCalls.close(partition, to)));
		assertThat(this.engine.directory().change(from, to)).isTrue();
		return to;
	}

	private void remember(Epochs epochs) {
		epochs.partitions()
			.forEach((partition) -> this.template.opsForHash()
				.put(key(partition, "control"), "history",
						History.setting(settings().ends(), 1).getBytes(StandardCharsets.UTF_8)));
	}

	private void endMessages(int from, int count) {
		for (int n = from; n < from + count; n++) {
			this.engine.operations().schedule(ScheduleRequest.to("orders").id("m-" + n).payload("p").delay(LATER));
			this.engine.operations().cancel(MessageKey.of("orders", "m-" + n));
		}
	}

	private long count(List<Partition> partitions) {
		return partitions.stream().mapToLong(this.history::count).sum();
	}

	private Set<String> keys(List<Partition> partitions) {
		return partitions.stream()
			.flatMap((partition) -> this.template.keys(this.prefix + ":{" + partition + "}:*").stream())
			.collect(Collectors.toSet());
	}

	private long bytes(List<Partition> partitions) {
		try (RespClient redis = SharedRedis.get().client()) {
			return keys(partitions).stream()
				.mapToLong((key) -> (Long) redis.call("MEMORY", "USAGE", key, "SAMPLES", "0"))
				.sum();
		}
	}

	private String key(Partition partition, String name) {
		return this.prefix + ":{" + partition + "}:" + name;
	}

	private static NewMessage message(String id, String token) {
		return new NewMessage(id, Due.in(LATER), "g1", Expiry.NEVER, DuplicatePolicy.keep(),
				new Envelope(token, "g1", Map.of(), new byte[0]).toBytes());
	}

	private QueueSettings settings() {
		RetrySettings retry = new RetrySettings(1, 3, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings("orders", 2, 10, Duration.ofSeconds(30), Duration.ofDays(1), 1000,
				Duration.ofSeconds(1), Duration.ofSeconds(1), retry,
				new GroupSettings(0, false, true, 0, null, null, Map.of()), ExpirySettings.NEVER, FlowSettings.NONE,
				this.ends);
	}

}
