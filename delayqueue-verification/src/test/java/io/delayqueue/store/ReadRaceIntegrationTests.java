package io.delayqueue.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.record.MessageRecord;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ReadyMessages.Read;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.RedisTemplate;

import static io.delayqueue.store.States.DUE;
import static io.delayqueue.store.States.FAR;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A read of many bytes is several calls, and other calls run in between: every returned
 * message was due when it was read, and the reader holds it.
 */
@Tag("slow")
class ReadRaceIntegrationTests {

	/** The second message is only returned by the second call. */
	private static final int CALLS = 2;

	private static final String LARGE = "x".repeat(600_000);

	private static final InterruptedTemplate template = new InterruptedTemplate();

	private static Connected connected;

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final TestStore store = this.partition.store();

	@BeforeAll
	static void connect() {
		connected = Connected.over(Driver.JEDIS, SharedRedis.get().uri(), template);
	}

	@AfterAll
	static void disconnect() {
		connected.close();
	}

	@ParameterizedTest(name = "{0} before call {2}")
	@MethodSource
	void noMessageIsReturnedEarlyOrLost(String what, Consumer<TestStore> change, int call, String last) {
		this.store.schedule("before", DUE, 3);
		this.store.take("group");
		this.store.schedule(TestMessages.message("A", Due.at(Instant.ofEpochMilli(DUE)), 4, LARGE));
		States.ready("a").prepare(this.partition);
		template.before(call, () -> change.accept(this.store));
		List<String> handed = new ArrayList<>();
		for (Entry entry : this.partition.storeOver(connected).read("reader")) {
			if (entry.id().equals("A")) {
				this.store.acknowledge(entry);
			}
			else if (entry.record() != null) {
				handed.add(Reply.text(entry.record()));
				this.store.acknowledge(entry);
			}
			else {
				this.store.release(DUE, entry);
			}
		}
		handed.addAll(Drain.of(this.store));
		PartitionDump drained = this.partition.dump();
		assertThat(handed)
			.allSatisfy((record) -> assertThat(MessageRecord.from(Reply.bytes(record)).dueMillis()).isEqualTo(DUE));
		assertThat(drained.stream().entries().values()).containsExactly("before");
		if (drained.messages().containsKey("a")) {
			assertThat(drained.scheduled()).containsEntry("a", FAR);
			handed.add(drained.messages().get("a"));
		}
		assertThat(handed).as("the last message of this id").anyMatch((record) -> record.endsWith(last));
	}

	@Test
	void aPauseThatBeginsDuringAReadIsReported() {
		this.store.schedule(TestMessages.message("A", Due.at(Instant.ofEpochMilli(DUE)), 4, LARGE));
		States.ready("a").prepare(this.partition);
		template.before(1, () -> this.partition.command("HSET", Key.CONTROL, "paused", "1000"));

		Read read = this.partition.storeOver(connected).ready().read(this.store.partition(), "reader", 10);

		assertThat(read.entries()).extracting(Entry::id).containsExactly("A", "a");
		assertThat(read.isStopped()).isTrue();
	}

	static Stream<Arguments> noMessageIsReturnedEarlyOrLost() {
		Consumer<TestStore> move = (store) -> store.reschedule("a", FAR);
		Consumer<TestStore> replace = (store) -> {
			store.cancel("a", 50);
			store.schedule("a", FAR, 2);
		};
		Consumer<TestStore> replaceAtOnce = (store) -> {
			store.cancel("a", 50);
			store.schedule("a", DUE, 2);
			store.sweep();
		};
		return IntStream.range(0, CALLS)
			.boxed()
			.flatMap((call) -> Stream.of(Arguments.of("moved", move, call, "by 1"),
					Arguments.of("replaced", replace, call, "by 2"),
					Arguments.of("replaced and ready", replaceAtOnce, call, "by 2")));
	}

	/** Runs an action before one of the calls. */
	private static final class InterruptedTemplate extends RedisTemplate<String, byte[]> {

		private int left;

		private Runnable act = () -> {
		};

		void before(int call, Runnable act) {
			this.left = call;
			this.act = act;
		}

		@Override
		public <T> T execute(RedisCallback<T> action) {
			if (this.left-- == 0) {
				this.act.run();
			}
			return super.execute(action);
		}

	}

}
