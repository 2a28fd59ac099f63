package io.delayqueue.autoconfigure;

import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.observe.MessageTracing;
import io.delayqueue.observe.ProcessingTracingHandler;
import io.delayqueue.observe.UntimedObservationHandler;
import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/**
 * Auto-configuration of the tracing spans of messages, if there is a tracer.
 */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class,
		afterName = { "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
				"org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration" })
@ConditionalOnClass({ ObservationRegistry.class, Tracer.class })
@ConditionalOnBooleanProperty(name = "delayqueue.tracing.enabled", matchIfMissing = true)
@ConditionalOnBean({ DelayQueueEngine.class, ObservationRegistry.class, Tracer.class, Propagator.class })
public final class DelayQueueTracingAutoConfiguration implements AopInfrastructureBean {

	/**
	 * Orders an observation handler before the handlers of Spring Boot. Of several
	 * handlers of the same kind, Micrometer calls only the first that supports an
	 * observation.
	 */
	private static final int BEFORE_HANDLERS_OF_BOOT = 0;

	@Bean
	@ConditionalOnMissingBean
	MessageTracing delayQueueTracing(ObservationRegistry registry) {
		return new MessageTracing(registry);
	}

	@Bean
	@ConditionalOnMissingBean
	@Order(BEFORE_HANDLERS_OF_BOOT)
	ProcessingTracingHandler delayQueueProcessingTracingHandler(Tracer tracer, Propagator propagator) {
		return new ProcessingTracingHandler(tracer, propagator);
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MeterObservationHandler.class)
	static class Timers {

		@Bean
		@ConditionalOnMissingBean
		@ConditionalOnBooleanProperty(name = "delayqueue.tracing.timers", havingValue = false, matchIfMissing = true)
		@Order(BEFORE_HANDLERS_OF_BOOT)
		UntimedObservationHandler delayQueueUntimedObservationHandler() {
			return new UntimedObservationHandler();
		}

	}

}
