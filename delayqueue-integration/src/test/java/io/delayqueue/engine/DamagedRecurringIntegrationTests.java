package io.delayqueue.engine;

import java.time.Duration;
import java.time.Instant;

import io.delayqueue.RecurringResult;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.delayqueue.engine.RecurringQueue.QUEUE;
import static io.delayqueue.engine.RecurringQueue.create;
import static io.delayqueue.engine.RecurringQueue.daily;
import static io.delayqueue.engine.RecurringQueue.epochs;
import static io.delayqueue.engine.RecurringQueue.everySecond;
import static io.delayqueue.engine.RecurringQueue.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Definitions of recurring schedules that cannot be read, or have lost their instant.
 */
@Tag("slow")
class DamagedRecurringIntegrationTests {

	private static final String UNREADABLE = "1 gen 1 0 0 - 0 0 0 0 1\n\n"
			+ "{\"cron\":\"0 0 3 * * *\",\"zone\":\"Europe/Atlantis\"}\n\n";

	@RegisterExtension
	final RecurringQueue queue = new RecurringQueue();

	@Test
	void aDefinitionThatCannotBeReadIsReplacedIfItIsDue() {
		DelayQueueEngine engine = this.queue.engine(1);
		create(engine, daily("a"));
		this.queue.write("a", UNREADABLE);
		this.queue.dueAt("a", Instant.ofEpochSecond(1));

		assertThat(create(engine, daily("a"))).isEqualTo(RecurringResult.REPLACED);
		assertThat(get(engine, "a").next()).isPresent();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void definitionsThatCannotBeReadDoNotBlockOthers(boolean isClosed) {
		DelayQueueEngine engine = this.queue.engine(1);
		create(engine, daily("last").group("g"));
		create(engine, everySecond("a").group("g"));
		for (int n = 0; n < 450; n++) {
			this.queue.write("lost-" + n, (n % 2 == 0) ? UNREADABLE : "2 of a newer version");
			this.queue.dueAt("lost-" + n, Instant.ofEpochSecond(n + 1));
		}
		this.queue.consume(engine, 1);
		if (isClosed) {
			engine.admin().repartition(QUEUE, 2);
			await().atMost(Duration.ofMinutes(1)).until(() -> epochs(engine).text().endsWith("1:2"));
		}
		this.queue.handled().clear();
		await().until(() -> this.queue.handledOf("a").size() >= 3);
		assertThat(this.queue.count("recurring", 1)).isEqualTo(452);
	}

	@Test
	void aDefinitionThatCannotBeReadIsReplaced() {
		DelayQueueEngine engine = this.queue.engine(1);
		create(engine, daily("a"));
		this.queue.write("a", UNREADABLE);

		assertThat(engine.recurring().list(QUEUE, null, 10).schedules()).isEmpty();
		assertThat(engine.recurring().createOrReplace(daily("a"))).isEqualTo(RecurringResult.REPLACED);
		assertThat(get(engine, "a").recurrence().zone()).hasToString("UTC");
	}

	@Test
	void aLostInstantIsMended() {
		DelayQueueEngine engine = this.queue.engine(1);
		create(engine, everySecond("a"));
		create(engine, daily("daily"));
		this.queue.consume(engine, 1);
		await().until(() -> this.queue.handledOf("a").size() >= 2);

		this.queue.engines().template().delete(this.queue.prefix() + ":{digests:0}:recurrences");
		int before = this.queue.handledOf("a").size();

		await().until(() -> this.queue.handledOf("a").size() >= before + 4);
		assertThat(this.queue.handledOf("a")).doesNotHaveDuplicates();
		assertThat(get(engine, "daily").next()).isPresent();
		assertThat(get(engine, "daily").pausedSince()).isEmpty();
	}

}
