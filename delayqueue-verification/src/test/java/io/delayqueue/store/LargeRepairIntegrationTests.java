package io.delayqueue.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.store.Repairs.Damage;
import io.delayqueue.store.Repairs.Repaired;
import io.delayqueue.test.fault.CountingScripts;
import io.delayqueue.test.fault.CountingScripts.Cost;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Repair does not delay other calls: for any number and size of records, no script runs
 * more commands or reads more bytes than one page needs. 1 MB of records, or a few
 * thousand commands, would take some ms.
 */
@Tag("slow")
class LargeRepairIntegrationTests {

	private RedisServer redis;

	private Connected connected;

	private CountingScripts counting;

	@BeforeEach
	void start() {
		this.redis = RedisServer.builder().start();
		this.connected = Connected.over(Driver.JEDIS, this.redis.uri());
		this.counting = CountingScripts.of(this.connected.template(), this.redis.client());
	}

	@AfterEach
	void stop() {
		this.connected.close();
		this.redis.close();
	}

	@ParameterizedTest
	@CsvSource({ "300, 262144", "20000, 300", "3000, 5000" })
	void noScriptOfAPassIsLong(int count, int size) {
		try (TestPartition partition = TestPartition.on(this.redis, this.connected)) {
			schedule(partition.store(), count, size);

			assertShort(() -> assertThat(partition.store().repair()).isEmpty());

			partition.command("UNLINK", Key.SCHEDULED);
			assertShort(() -> {
				List<Repaired> repaired = partition.store().repair();
				assertThat(repaired).hasSize(count).allMatch((one) -> one.damage() == Damage.NO_PLACE);
			});
			assertShort(() -> assertThat(partition.store().repair()).isEmpty());
			assertThat(partition.dump().scheduled()).hasSize(count).containsValue(States.FAR);
			assertThat(partition.store().audit().mismatch().isNone()).isTrue();
		}
	}

	private void assertShort(Runnable pass) {
		this.counting.cost();
		pass.run();
		Cost most = this.counting.most();
		assertThat(most.commands()).isLessThan(1500);
		assertThat(most.values()).isLessThan(2500);
		assertThat(most.bytes()).as("one record more than a page").isLessThan(600_000);
	}

	private static void schedule(TestStore store, int count, int size) {
		String payload = "x".repeat(size);
		List<NewMessage> batch = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			batch.add(TestMessages.message("id-" + i, Due.at(Instant.ofEpochMilli(States.FAR)), i, payload));
			if (batch.size() * (long) size > 1_000_000 || batch.size() == 500 || i == count - 1) {
				store.schedule(batch.toArray(NewMessage[]::new));
				batch.clear();
			}
		}
	}

}
