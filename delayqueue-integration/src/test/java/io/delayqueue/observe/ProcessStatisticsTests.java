package io.delayqueue.observe;

import java.time.Duration;

import io.delayqueue.observe.ProcessStatistics.Figures;
import io.delayqueue.observe.QueueObserver.HandlerOutcome;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ProcessStatisticsTests {

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final MicrometerQueueObserver observer = new MicrometerQueueObserver(this.registry, (queue) -> null,
			(queue) -> 0);

	private final ProcessStatistics figures = new ProcessStatistics(this.registry);

	@Test
	void everyHandledQueueHasItsOwnStatistics() {
		this.observer.delivered("b", Duration.ofMillis(30));
		this.observer.delivered("b", Duration.ofMillis(70));
		for (HandlerOutcome outcome : HandlerOutcome.values()) {
			this.observer.handled("b", outcome, Duration.ofSeconds(1));
		}
		this.observer.handled("a", HandlerOutcome.SUCCESS, Duration.ofSeconds(1));

		assertThat(this.figures.all()).containsExactly(new Figures("a", 1, 0, 0, 0, 0),
				new Figures("b", 6, 3, 2, 100, 70));
	}

	@Test
	void queueThatIsOnlyScheduledToHasNoStatistics() {
		this.observer.dropped("orders", "g", "id");

		assertThat(this.figures.all()).isEmpty();
	}

	@Test
	void emptyRegistryHasNoStatistics() {
		CompositeMeterRegistry empty = new CompositeMeterRegistry();
		new MicrometerQueueObserver(empty, (queue) -> null, (queue) -> 0).handled("a", HandlerOutcome.SUCCESS,
				Duration.ZERO);

		assertThat(new ProcessStatistics(empty).all()).containsExactly(new Figures("a", 0, 0, 0, 0, 0));
	}

}
