package io.delayqueue.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import io.delayqueue.MessageKey;
import io.delayqueue.ScheduleResult.Outcome;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.admin.DeadLetterSelection;
import io.delayqueue.delivery.QueueConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static io.delayqueue.engine.GrowingOrders.LATER;
import static io.delayqueue.engine.GrowingOrders.epochs;
import static io.delayqueue.engine.GrowingOrders.schedule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Dead letters of a queue whose partition count changes.
 */
class RepartitionedDeadLettersIntegrationTests {

	@RegisterExtension
	final GrowingOrders orders = new GrowingOrders();

	@Test
	void aDeadLetterKeepsItsGroup() {
		DelayQueueEngine engine = this.orders.engine(1);
		QueueConsumer failing = engine.consumers().create(TestEngines.settings("orders", 1), (delivery) -> {
			throw new IllegalStateException("refused");
		}, null, null);
		this.orders.engines().start(failing);
		schedule(engine, "dead", "g", Duration.ZERO, Outcome.CREATED);
		MessageKey dead = MessageKey.of("orders", "dead").inGroup("g");
		await().until(() -> engine.admin().deadLetter(dead).isPresent());
		failing.stop(Duration.ofSeconds(10));

		this.orders.grow(engine, 8);

		schedule(engine, "later", "g", LATER, Outcome.CREATED);
		assertThat(this.orders.messagesOf(engine, 0)).containsExactly("later\1g");
		assertThat(engine.admin().redrive(dead)).isTrue();
		assertThat(engine.operations().countGroup("orders", "g")).isEqualTo(2);
		engine.operations().cancelGroup("orders", "g");
		schedule(engine, "free", "g", LATER, Outcome.CREATED);
		assertThat(this.orders.messagesOf(engine, 0)).isEmpty();
	}

	@Test
	void deadLettersAreCarriedToTheNewPartitionsAndCanBeRedriven() {
		DelayQueueEngine engine = this.orders.engine(1);
		QueueConsumer failing = engine.consumers().create(TestEngines.settings("orders", 1), (delivery) -> {
			if (delivery.attempt() == 1 && this.orders.handled().stream().filter(delivery.id()::equals).count() == 0) {
				this.orders.handled().add(delivery.id());
				throw new IllegalStateException("refused");
			}
			this.orders.handled().add(delivery.id());
			return null;
		}, null, null);
		this.orders.engines().start(failing);
		List<String> ids = new ArrayList<>();
		IntStream.range(0, 150)
			.forEach((n) -> ids.add(schedule(engine, "a-" + n, null, Duration.ZERO, Outcome.CREATED)));
		IntStream.range(0, 50)
			.forEach((n) -> ids.add(schedule(engine, "b-" + n, "g-" + n % 7, Duration.ZERO, Outcome.CREATED)));
		await().until(() -> deadLetters(engine).size() == 200);

		this.orders.grow(engine, 8);

		await().atMost(Duration.ofMinutes(1)).until(() -> epochs(engine).text().equals("1;1:8"));
		assertThat(deadLetters(engine)).containsExactlyInAnyOrderElementsOf(ids);
		schedule(engine, "a-1", null, LATER, Outcome.DEAD_LETTER);
		assertThat(engine.admin().redrive(MessageKey.of("orders", "a-1"))).isTrue();
		assertThat(engine.admin().redrive(MessageKey.of("orders", "b-1").inGroup("g-1"))).isTrue();
		assertThat(engine.admin().redrive(DeadLetterSelection.of("orders"))).isEqualTo(198);
		await().until(() -> this.orders.handled().size() == 400);
		await().until(() -> deadLetters(engine).isEmpty());
		assertThat(this.orders.handled()).containsAll(ids);
	}

	private static List<String> deadLetters(DelayQueueEngine engine) {
		return engine.admin().deadLetters("orders", null, 1000).deadLetters().stream().map(DeadLetter::id).toList();
	}

}
