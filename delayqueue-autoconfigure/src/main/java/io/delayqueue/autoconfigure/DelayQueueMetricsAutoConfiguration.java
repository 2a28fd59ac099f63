package io.delayqueue.autoconfigure;

import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.observe.MicrometerQueueObserver;
import io.delayqueue.observe.ProcessStatistics;
import io.delayqueue.observe.QueueStatistics;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.util.function.SingletonSupplier;

/**
 * Auto-configuration of the meters of delayed messages, if there is a meter registry.
 */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ DelayQueueEngine.class, MeterRegistry.class })
public final class DelayQueueMetricsAutoConfiguration implements AopInfrastructureBean {

	@Bean
	@ConditionalOnMissingBean
	MicrometerQueueObserver delayQueueMeters(MeterRegistry registry, ObjectProvider<QueueStatistics> statistics,
			ObjectProvider<DelayQueueEngine> engine) {
		// The statistics and the engine are looked up at their first use, because the
		// statistics need the engine, and the engine needs this observer
		SingletonSupplier<QueueStatistics> known = SingletonSupplier.of(statistics::getObject);
		SingletonSupplier<DelayQueueEngine> started = SingletonSupplier.of(engine::getObject);
		return new MicrometerQueueObserver(registry, (queue) -> known.obtain().of(queue),
				(queue) -> started.obtain().fleet().owned(queue));
	}

	@Bean
	@ConditionalOnMissingBean
	ProcessStatistics delayQueueProcessStatistics(MeterRegistry registry) {
		return new ProcessStatistics(registry);
	}

}
