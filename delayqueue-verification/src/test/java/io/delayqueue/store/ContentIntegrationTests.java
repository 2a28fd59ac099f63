package io.delayqueue.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.delayqueue.MessageSnapshot;
import io.delayqueue.record.Envelope;
import io.delayqueue.record.MessageRecord;
import io.delayqueue.store.KnownMessages.Cancelled;
import io.delayqueue.store.KnownMessages.Moved;
import io.delayqueue.store.PendingMessages.Settled;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Content is stored and returned unchanged, byte for byte, whatever its form and size.
 */
class ContentIntegrationTests {

	private static final int MANY = ScheduledMessages.MAX_BATCH;

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@ParameterizedTest
	@ValueSource(strings = { "订单-四二", "a b", "{x}:y", "+1", "-inf", "(1", "*", "$5", "\"quoted\"", "a\u0308",
			"\ud83d\udce6", "0", "9007199254740993", "nil", "a|b", "%s" })
	void anyIdPassesUnchanged(String id) {
		assertThat(this.store.schedule(id, DUE, 1).stored()).isEqualTo(Stored.CREATED);
		assertThat(this.store.schedule(id, DUE, 2).stored()).isEqualTo(Stored.DUPLICATE);
		assertThat(find(id).id()).isEqualTo(id);
		assertThat(this.store.reschedule(id, DUE + 1).moved()).isEqualTo(Moved.RESCHEDULED);
		Entry held = this.store.take("holder").get(0);
		assertThat(held.id()).isEqualTo(id);
		assertThat(this.store.release(DUE, held)).containsExactly(Settled.COUNTED);
		Entry again = this.store.take("holder").get(0);
		assertThat(this.store.deadLetter(again, "it broke")).isEqualTo(Settled.COUNTED);
		assertThat(this.store.cancel(id, 50)).isEqualTo(Cancelled.DEAD);
		this.store.schedule(id, DUE, 3);
		assertThat(this.store.acknowledge(this.store.take("holder").get(0))).containsExactly(Settled.COUNTED);
		assertThat(this.partition.dump().ids()).isEmpty();
		assertThat(this.store.schedule(id, DUE, 4).stored()).isEqualTo(Stored.DONE);
	}

	@Test
	void groupAndHeadersAreText() {
		Map<String, String> headers = Map.of("traceparent", "00-4bf9-01", "名字", "值\n\"{}\\\u0000");
		schedule(new Envelope(TestMessages.token(1), "用户\n7", headers, Reply.bytes("{}")));
		assertThat(find("a").headers()).isEqualTo(headers);
		assertThat(find("a").group()).isEqualTo("用户\n7");
		Envelope read = read().envelope();
		assertThat(read.group()).isEqualTo("用户\n7");
		assertThat(read.headers()).isEqualTo(headers);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 256 * 1024 })
	void aPayloadIsAnyBytes(int size) {
		byte[] payload = new byte[size];
		for (int i = 0; i < size; i++) {
			payload[i] = (byte) (i * 31 + i / 256);
		}
		schedule(new Envelope(TestMessages.token(1), null, Map.of(), payload));
		this.store.reschedule("a", DUE + 7);
		MessageRecord read = read();
		assertThat(read.envelope().payload()).isEqualTo(payload);
		assertThat(read.envelope().token()).isEqualTo(TestMessages.token(1));
		assertThat(read.dueMillis()).isEqualTo(DUE + 7);
	}

	@Test
	void theLargestBatchesAreOneCallEach() {
		List<NewMessage> messages = new ArrayList<>();
		for (int i = 0; i < MANY; i++) {
			messages.add(message("id-%04d".formatted(i), DUE, i));
		}
		NewMessage[] all = messages.toArray(NewMessage[]::new);
		assertThat(this.store.schedule(all)).hasSize(MANY).allMatch((answer) -> answer.stored() == Stored.CREATED);
		assertThat(this.store.schedule(all)).hasSize(MANY).allMatch((answer) -> answer.stored() == Stored.CREATED);
		assertThat(this.store.sweep()).isEqualTo(MANY);
		Entry[] held = this.store.read("holder").toArray(Entry[]::new);
		assertThat(held).extracting(Entry::id)
			.containsExactlyElementsOf(messages.stream().map(NewMessage::id).toList());
		assertThat(this.store.release(DUE, held)).hasSize(MANY).containsOnly(Settled.COUNTED);
		Entry[] again = this.store.take("holder").toArray(Entry[]::new);
		assertThat(this.store.settleMixed(List.of(held)).each()).hasSize(MANY).containsOnly(Settled.SUPERSEDED);
		assertThat(this.store.acknowledge(held)).hasSize(MANY).containsOnly(Settled.SUPERSEDED);
		assertThat(this.store.acknowledge(again)).hasSize(MANY).containsOnly(Settled.COUNTED);
		assertThat(this.store.acknowledge(again)).hasSize(MANY).containsOnly(Settled.GONE);
		PartitionDump dump = this.partition.dump();
		assertThat(dump.ids()).isEmpty();
		assertThat(dump.stream().entries()).isEmpty();
		assertThat(dump.stream().pending()).isEmpty();
		// Each with the token of its call
		assertThat(dump.done()).hasSize(2 * MANY);
	}

	@Test
	void theLargestBatchOfMessagesThatWereNotHandledIsOneCall() {
		this.store.schedule(IntStream.range(0, MANY)
			.mapToObj((i) -> message("id-%04d".formatted(i), DUE, i))
			.toArray(NewMessage[]::new));
		List<Entry> held = this.store.take("holder");

		assertThat(this.store.settleMixed(held).each()).hasSize(MANY).containsOnly(Settled.COUNTED);

		PartitionDump dump = this.partition.dump();
		assertThat(dump.dead()).hasSize(MANY / 4);
		assertThat(dump.scheduled()).hasSize(MANY / 4 * 3);
		assertThat(dump.failures()).hasSize(MANY / 4 * 3);
		assertThat(dump.stream().entries()).isEmpty();
		assertThat(dump.stream().pending()).isEmpty();
	}

	@Test
	void theReasonOfADeadLetterIsText() {
		Entry held = States.pending("a").prepare(this.partition).get(0);
		String reason = "付款失败 | 1|2|3| \u0001\n%s";
		this.store.deadLetter(held, reason);
		assertThat(find("a").lastFailure()).isEqualTo(reason);
		assertThat(find("a").attempts()).isEqualTo(1);
	}

	private void schedule(Envelope envelope) {
		this.store.schedule(message("a", Due.at(Instant.ofEpochMilli(DUE)), envelope));
	}

	private MessageRecord read() {
		byte[] record = this.store.take("holder").get(0).record();
		assertThat(record).isNotNull();
		return MessageRecord.from(record);
	}

	private MessageSnapshot find(String id) {
		return this.store.find(TestMessages.key(id)).orElseThrow();
	}

}
