package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.delayqueue.actuate.HealthSettings;
import io.delayqueue.engine.DelayQueueEngineBuilder;
import io.delayqueue.maintain.MaintenanceSettings;
import io.delayqueue.queue.Bounds;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;
import io.delayqueue.redis.DriverSettings;
import io.delayqueue.store.KeySpace;
import io.delayqueue.queue.SweepSettings;

import org.springframework.aop.framework.AopInfrastructureBean;

/**
 * Validates the properties: each value is within its bounds and consistent with the other
 * values. Beans take their settings from this class, so that no bean is created before
 * all properties have been validated.
 */
final class CheckedProperties implements AopInfrastructureBean {

	private static final Bounds<Duration> DEADLINE = new Bounds<>(Duration.ofMillis(1), Duration.ofHours(1));

	private static final String PHASE_TIMEOUT = "spring.lifecycle.timeout-per-shutdown-phase";

	private final DelayQueueProperties properties;

	/**
	 * Validates all properties.
	 * @param properties the properties
	 * @param bind the errors that occurred when Spring bound the properties
	 * @param driver the settings of the connections to Redis
	 * @param phaseTimeout the time that Spring waits for a phase to stop
	 * @throws InvalidConfigurationException with all faults at once
	 */
	CheckedProperties(DelayQueueProperties properties, BindFaults bind, DriverSettings driver, Duration phaseTimeout) {
		this.properties = properties;
		ConfigurationFaults faults = new ConfigurationFaults(bind.all());
		if (!KeySpace.isPrefix(properties.keyPrefix())) {
			faults.add("delayqueue.key-prefix", properties.keyPrefix(), "must be " + KeySpace.RULE,
					"Set delayqueue.key-prefix to " + KeySpace.RULE);
		}
		Duration deadline = properties.schedule().deadline();
		boolean known = faults.check("delayqueue.schedule.deadline", deadline, DEADLINE);
		DelayQueueProperties.Sweeper sweeper = properties.sweeper();
		faults.check("delayqueue.sweeper.interval", sweeper.interval(), SweepSettings.INTERVAL);
		faults.check("delayqueue.sweeper.batch-size", sweeper.batchSize(), SweepSettings.BATCH_SIZE);
		faults.check("delayqueue.sweeper.high-water-mark", sweeper.highWaterMark(), SweepSettings.HIGH_WATER_MARK);
		faults.check("delayqueue.maintenance.interval", properties.maintenance().interval(),
				MaintenanceSettings.INTERVAL);
		DelayQueueProperties.Health health = properties.health();
		faults.check("delayqueue.health.max-overdue", health.maxOverdue(), HealthSettings.MAX_OVERDUE);
		faults.check("delayqueue.health.tolerated-outage", health.toleratedOutage(), HealthSettings.TOLERATED_OUTAGE);
		new QueueCheck(faults, known ? deadline : Duration.ZERO).checkAll(properties.defaults().asQueue(),
				properties.queues());
		if (phaseTimeout.isNegative() || phaseTimeout.isZero()) {
			faults.add(PHASE_TIMEOUT, phaseTimeout,
					"must be more than 0: it is how long a stop waits for running handlers",
					"Set " + PHASE_TIMEOUT + " to how long a stop may take, such as 30s");
		}
		DriverCheck connections = new DriverCheck(driver);
		connections.check(faults);
		faults.throwIfAny();
		connections.warn(deadline, shortestVisibilityTimeout());
	}

	private Duration shortestVisibilityTimeout() {
		return Stream
			.concat(Stream.of(this.properties.defaults().asQueue()), this.properties.queues().values().stream())
			.map(DelayQueueProperties.Queue::visibilityTimeout)
			.filter(Objects::nonNull)
			.min(Duration::compareTo)
			.orElseThrow();
	}

	Queues queues() {
		Map<String, QueueSettings> settings = new ConcurrentHashMap<>();
		return (queue) -> settings.computeIfAbsent(queue, (name) -> this.properties.defaults()
			.settings(name, this.properties.queues().getOrDefault(name, DelayQueueProperties.Queue.NO_SETTINGS)));
	}

	DelayQueueProperties.StartupChecks startupChecks() {
		return this.properties.startupChecks();
	}

	Set<String> namedQueues() {
		return this.properties.queues().keySet();
	}

	/**
	 * Passes the properties that apply to the whole process to the builder of the engine.
	 */
	DelayQueueEngineBuilder configure(DelayQueueEngineBuilder engine) {
		DelayQueueProperties.Sweeper sweeper = this.properties.sweeper();
		return engine.keyPrefix(this.properties.keyPrefix())
			.deadline(this.properties.schedule().deadline())
			.sweeper(new SweepSettings(sweeper.interval(), sweeper.batchSize(), sweeper.highWaterMark()),
					sweeper.enabled())
			.trends(this.properties.trends().enabled())
			.maintenance(MaintenanceSettings.every(this.properties.maintenance().interval()));
	}

	HealthSettings health() {
		DelayQueueProperties.Health health = this.properties.health();
		return new HealthSettings(health.maxOverdue(), health.toleratedOutage(), health.checkEviction());
	}

}
