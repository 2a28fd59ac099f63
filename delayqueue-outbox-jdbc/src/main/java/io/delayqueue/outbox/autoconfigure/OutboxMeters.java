package io.delayqueue.outbox.autoconfigure;

import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

import io.delayqueue.outbox.jdbc.JdbcOutbox;
import io.delayqueue.outbox.jdbc.OutboxCounts;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.aop.framework.AopInfrastructureBean;

/**
 * All meters of the outbox. The gauges show the last count of the rows of the outbox
 * table, which has ended at most 5 seconds ago, or at most a minute ago while a thread
 * counts again. The gauges have no value if the rows cannot be counted. The counters
 * count what this process has sent since its start.
 */
final class OutboxMeters implements MeterBinder, AopInfrastructureBean {

	private final JdbcOutbox outbox;

	OutboxMeters(JdbcOutbox outbox) {
		this.outbox = outbox;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		Gauge.builder("delayqueue.outbox.pending", this.outbox, (now) -> now.admin().status().pending())
			.description("Committed rows of the outbox that are not sent yet")
			.register(registry);
		Gauge.builder("delayqueue.outbox.failed", this.outbox, (now) -> now.admin().status().failed())
			.description("Rows of the outbox that Redis has refused and that wait for an operator")
			.register(registry);
		TimeGauge
			.builder("delayqueue.outbox.age", this.outbox, TimeUnit.MILLISECONDS,
					(now) -> now.admin().status().oldest().toMillis())
			.description("Age of the oldest row of the outbox that is not sent yet")
			.register(registry);
		counter(registry, "relayed", "Rows of the outbox that this process has sent", OutboxCounts::relayed);
		counter(registry, "unchanged",
				"Rows of the outbox that this process has sent and that have changed nothing in Redis",
				OutboxCounts::unchanged);
		counter(registry, "retried", "Attempts of this process after which a row is sent again", OutboxCounts::retried);
		counter(registry, "refused", "Rows of the outbox that this process has sent and Redis has refused",
				OutboxCounts::failed);
		counter(registry, "late",
				"Rows that this process has sent again later than the window; their messages may be stored twice",
				OutboxCounts::late);
	}

	private void counter(MeterRegistry registry, String name, String description,
			ToDoubleFunction<OutboxCounts> count) {
		FunctionCounter.builder("delayqueue.outbox." + name, this.outbox.counts(), count)
			.description(description)
			.register(registry);
	}

}
