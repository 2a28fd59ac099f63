package io.delayqueue.fleet;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.CancelResult;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.GroupMessage;
import io.delayqueue.GroupPage;
import io.delayqueue.MessageKey;
import io.delayqueue.RedisRefusedException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.admin.DeadLetterSelection;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.delivery.QueueConsumer;
import io.delayqueue.engine.DelayQueueEngine;
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
import io.delayqueue.store.EpochCalls.Carried;
import io.delayqueue.store.EpochCalls.Remaining;
import io.delayqueue.store.Expiry;
import io.delayqueue.store.KnownMessages.Cancelled;
import io.delayqueue.store.KnownMessages;
import io.delayqueue.store.NewMessage;
import io.delayqueue.store.ScheduledMessages;
import io.delayqueue.store.StoredId;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@ExtendWith(OutputCaptureExtension.class)
@SuppressWarnings("NullAway.Init")
class DeadLetterCarrierIntegrationTests {

	private static final Epochs EPOCHS = Epochs.from("orders", "1,1:1");

	private static final Partition OLD = new Partition("orders", 0);

	private static final Partition NEW = new Partition("orders", 1, 0);

	private static final Duration LATER = Duration.ofHours(1);

	private final JedisConnectionFactory connections = new JedisConnectionFactory(
			new RedisStandaloneConfiguration(SharedRedis.get().host(), SharedRedis.get().port()));

	private DelayQueueRedisTemplate template;

	private DelayQueueEngine engine;

	private EpochCalls epochCalls;

	private DeadLetterCarrier carrier;

	@BeforeEach
	void connect() {
		this.connections.afterPropertiesSet();
		this.connections.start();
		this.template = new DelayQueueRedisTemplate(this.connections);
		this.template.afterPropertiesSet();
		this.template.start();
		this.engine = DelayQueueEngine.builder(this.template, (queue) -> settings())
			.keyPrefix("carrier-" + UUID.randomUUID())
			.build();
		this.epochCalls = new EpochCalls(this.engine.calls());
		this.carrier = new DeadLetterCarrier(this.engine.queues(), this.epochCalls, this.engine.directory());
	}

	@AfterEach
	void close() {
		this.engine.close();
		this.template.destroy();
		this.connections.destroy();
	}

	@Test
	void aLetterThatStaysIsLoggedOnceAndMovesWhenTheOtherMessageIsCancelled(CapturedOutput output) {
		die("x", "a");
		die("y", "b");
		Epochs first = this.engine.directory().read("orders").orElseThrow();
		this.epochCalls.close(OLD, EPOCHS);
		this.engine.directory().change(first, EPOCHS);
		// Only a message that Redis has lost and another program has stored can be there
		Envelope envelope = new Envelope(CallToken.next(), "a", Map.of(), new byte[0]);
		new ScheduledMessages(this.engine.calls()).schedule(NEW, EPOCHS, settings(), List
			.of(new NewMessage("x", Due.in(LATER), "a", Expiry.NEVER, DuplicatePolicy.keep(), envelope.toBytes())));

		this.carrier.carry(OLD, EPOCHS);
		this.carrier.carry(OLD, EPOCHS);

		assertThat(stays(output)).singleElement()
			.asString()
			.contains("1 dead letters", "orders:0", "['x' of group 'a']", "cancelled");
		assertThat(this.epochCalls.remaining(OLD)).extracting(Remaining::messages, Remaining::dead)
			.containsExactly(1L, 1L);

		MessageKey staying = MessageKey.of("orders", "x").inGroup("a");
		assertThatExceptionOfType(RedisRefusedException.class).isThrownBy(() -> this.engine.admin().redrive(staying))
			.withMessageContaining("another message there with its id");
		// The others are not held up
		assertThat(this.engine.admin().discard(DeadLetterSelection.of("orders"))).isOne();
		assertThat(new KnownMessages(this.engine.calls())
			.cancel(new Candidate(NEW, StoredId.of(staying), false), CallToken.next(), LATER)
			.cancelled()).isEqualTo(Cancelled.CANCELLED);
		assertThat(this.engine.admin().redrive(staying)).isTrue();
		this.carrier.carry(OLD, EPOCHS);

		assertThat(this.epochCalls.remaining(OLD).messages()).isZero();
		assertThat(this.engine.operations().find(staying)).isPresent();
		assertThat(stays(output)).hasSize(1);
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "schedule", "replace", "redrive", "discard", "cancel", "purge", "redriveAll", "discardAll" })
	void noCallWaitsForACarrierThatHasStopped(String operation) {
		for (int n = 0; n < 3; n++) {
			die("x" + n, "a");
		}
		Epochs first = this.engine.directory().read("orders").orElseThrow();
		this.epochCalls.close(OLD, EPOCHS);
		this.engine.directory().change(first, EPOCHS);
		List<Carried> letters = this.epochCalls.carryOut(OLD, 0);
		// The process stops after it has copied one of them
		this.epochCalls.carryIn(NEW, EPOCHS, letters.subList(0, 1), 0);

		MessageKey key = MessageKey.of("orders", "x0").inGroup("a");
		ScheduleRequest request = ScheduleRequest.to("orders").id("x0").group("a").payload("p").delay(LATER);
		DelayQueueAdmin admin = this.engine.admin();
		assertThat(switch (operation) {
			case "schedule" -> this.engine.operations().schedule(request.id("new")).outcome();
			case "replace" ->
				this.engine.operations().schedule(request.onDuplicate(DuplicatePolicy.replace())).outcome();
			case "redrive" -> admin.redrive(key);
			case "discard" -> admin.discard(key);
			case "cancel" -> this.engine.operations().cancel(key);
			case "purge" -> admin.purgeWithDeadLetters("orders").deadLetters();
			case "redriveAll" -> admin.redrive(DeadLetterSelection.of("orders"));
			default -> admin.discard(DeadLetterSelection.of("orders"));
		}).isEqualTo(switch (operation) {
			case "schedule" -> Outcome.CREATED;
			case "replace" -> Outcome.REPLACED;
			case "redrive", "discard" -> true;
			case "cancel" -> CancelResult.DEAD_LETTER;
			case "purge" -> 3L;
			default -> 3;
		});
		this.carrier.carry(OLD, EPOCHS);
		assertThat(this.epochCalls.remaining(OLD).messages()).isZero();
		int left = switch (operation) {
			case "schedule" -> 4;
			case "replace", "redrive", "redriveAll" -> 3;
			case "discard", "cancel" -> 2;
			default -> 0;
		};
		assertThat(this.epochCalls.remaining(NEW).messages()).isEqualTo(left);
	}

	@Test
	void aGroupIsListedWithItsDeadLettersThatHaveNotMoved() {
		die("x", "a");
		die("y", "a");
		Epochs first = this.engine.directory().read("orders").orElseThrow();
		this.epochCalls.close(OLD, EPOCHS);
		this.engine.directory().change(first, EPOCHS);
		this.epochCalls.carryIn(NEW, EPOCHS, this.epochCalls.carryOut(OLD, List.of(new StoredId("y", "a"))), 1000);
		schedule("z", "a");

		GroupPage page = this.engine.operations().listGroup("orders", "a", null, 2);
		assertThat(page.messages()).extracting(GroupMessage::id).containsExactly("x", "y");
		page = this.engine.operations().listGroup("orders", "a", page.next().orElseThrow(), 2);
		assertThat(page.messages()).extracting(GroupMessage::id).containsExactly("z");
		assertThat(page.next()).isEmpty();
	}

	private static List<String> stays(CapturedOutput output) {
		return output.getOut().lines().filter((line) -> line.contains("cannot move")).toList();
	}

	private void schedule(String id, String group) {
		this.engine.operations()
			.schedule(ScheduleRequest.to("orders").id(id).group(group).payload("p").delay(Duration.ZERO));
	}

	private void die(String id, String group) {
		QueueConsumer failing = this.engine.consumers().create(settings(), (delivery) -> {
			throw new IllegalStateException("refused");
		}, null, null);
		failing.start();
		schedule(id, group);
		await().until(() -> this.engine.admin().deadLetter(MessageKey.of("orders", id).inGroup(group)).isPresent());
		failing.stop(Duration.ofSeconds(10));
	}

	private static QueueSettings settings() {
		RetrySettings retry = new RetrySettings(1, 3, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings("orders", 1, 10, Duration.ofSeconds(30), Duration.ofDays(1), 1000,
				Duration.ofSeconds(1), Duration.ofSeconds(1), retry,
				new GroupSettings(0, false, true, 0, null, null, Map.of()), ExpirySettings.NEVER, FlowSettings.NONE,
				EndSettings.NONE);
	}

}
