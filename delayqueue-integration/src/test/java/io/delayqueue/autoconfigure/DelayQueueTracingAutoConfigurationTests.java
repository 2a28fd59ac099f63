package io.delayqueue.autoconfigure;

import java.util.Arrays;
import java.util.Map;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.observe.DelayQueueObservation;
import io.delayqueue.observe.MessageSpan;
import io.delayqueue.observe.MessageTracing;
import io.delayqueue.observe.ProcessingContext;
import io.delayqueue.observe.ProcessingTracingHandler;
import io.delayqueue.observe.QueueObserver.HandlerOutcome;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationFilter;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationPredicate;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration;
import org.springframework.boot.micrometer.tracing.autoconfigure.NoopTracerAutoConfiguration;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration;
import org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

class DelayQueueTracingAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("spring.data.redis.client-type=jedis", "spring.data.redis.port=1")
		.withConfiguration(AutoConfigurations.of(DelayQueueTracingAutoConfiguration.class,
				DelayQueueAutoConfiguration.class, DataRedisAutoConfiguration.class));

	private final ApplicationContextRunner withObservations = this.runner
		.withConfiguration(AutoConfigurations.of(ObservationAutoConfiguration.class, MetricsAutoConfiguration.class,
				SimpleMetricsExportAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class,
				MicrometerTracingAutoConfiguration.class, NoopTracerAutoConfiguration.class));

	private final ApplicationContextRunner withTracer = this.withObservations.withConfiguration(AutoConfigurations
		.of(OpenTelemetrySdkAutoConfiguration.class, OpenTelemetryTracingAutoConfiguration.class));

	@Test
	void autoConfiguredTracerIsUsed() {
		this.withTracer.run((context) -> {
			assertThat(context).hasSingleBean(MessageTracing.class).hasSingleBean(ProcessingTracingHandler.class);
			MessageSpan span = begin(context);
			assertThat(currentTrace(context)).isEqualTo("none");
			assertThat(span.<String, RuntimeException>during(() -> currentTrace(context))).hasSize(32);
			span.end();
		});
	}

	@Test
	void noSpansWithoutTracer() {
		this.withObservations.run((context) -> {
			assertThat(context).hasSingleBean(DelayQueueOperations.class).doesNotHaveBean(MessageTracing.class);
			assertThat(begin(context)).isSameAs(MessageSpan.NONE);
		});
	}

	@Test
	void noSpansWithoutMicrometer() {
		this.withTracer
			.withClassLoader(new FilteredClassLoader("io.micrometer.tracing", "io.micrometer.core", "io.opentelemetry"))
			.run((context) -> {
				assertThat(context).hasSingleBean(DelayQueueOperations.class);
				assertThat(begin(context)).isSameAs(MessageSpan.NONE);
			});
	}

	@Test
	void spansAreCreatedWithoutMeters() {
		this.runner
			.withConfiguration(
					AutoConfigurations.of(ObservationAutoConfiguration.class, MicrometerTracingAutoConfiguration.class,
							OpenTelemetrySdkAutoConfiguration.class, OpenTelemetryTracingAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader("io.micrometer.core"))
			.run((context) -> assertThat(begin(context)).isNotSameAs(MessageSpan.NONE));
	}

	@Test
	void canBeDisabledByProperty() {
		this.withTracer.withPropertyValues("delayqueue.tracing.enabled=false").run((context) -> {
			assertThat(context).hasSingleBean(Tracer.class)
				.doesNotHaveBean(MessageTracing.class)
				.doesNotHaveBean(ProcessingTracingHandler.class);
			assertThat(begin(context)).isSameAs(MessageSpan.NONE);
		});
	}

	@Test
	void disablingDelayedMessagesRemovesTracing() {
		this.withTracer.withPropertyValues("delayqueue.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(MessageTracing.class)
				.doesNotHaveBean(ProcessingTracingHandler.class));
	}

	@Test
	void tracingOfTheApplicationReplacesTheDefault() {
		ObservationRegistry registry = ObservationRegistry.create();
		registry.observationConfig().observationHandler(new ObservationHandler<>() {

			@Override
			public void onStart(Observation.Context context) {
				throw new IllegalStateException("reached");
			}

			@Override
			public boolean supportsContext(Observation.Context context) {
				return true;
			}

		});
		MessageTracing own = new MessageTracing(registry);
		this.withTracer.withBean("own", MessageTracing.class, () -> own).run((context) -> {
			assertThat(context).getBean(MessageTracing.class).isSameAs(own);
			assertThat(begin(context)).as("behind the guard").isSameAs(MessageSpan.NONE);
		});
	}

	@Test
	void spansAreNotTimedByDefault() {
		this.withTracer.run((context) -> {
			process(context);
			assertThat(context.getBean(MeterRegistry.class).getMeters())
				.noneMatch((meter) -> meter.getId().getName().startsWith("delayqueue.process"));
		});
	}

	@Test
	void otherObservationsAreStillTimed() {
		this.withTracer.run((context) -> {
			Observation.start("another", context.getBean(ObservationRegistry.class)).stop();
			assertThat(context.getBean(MeterRegistry.class).get("another").timer().count()).isEqualTo(1);
		});
	}

	@Test
	void timersCanBeEnabled() {
		this.withTracer.withPropertyValues("delayqueue.tracing.timers=true").run((context) -> {
			process(context);
			assertThat(context.getBean(MeterRegistry.class)
				.get("delayqueue.process")
				.tag("messaging.destination.name", "orders")
				.tag("delayqueue.outcome", "retry")
				.timer()
				.count()).isEqualTo(1);
		});
	}

	@Test
	void observationKeysMatchTheDocumentation() {
		Stopped stopped = new Stopped();
		this.withTracer.withBean(Stopped.class, () -> stopped).run((context) -> {
			process(context);
			DelayQueueObservation documented = DelayQueueObservation.PROCESS;
			assertThat(stopped.context().getName()).isEqualTo("delayqueue.process");
			assertThat(stopped.context().getLowCardinalityKeyValues()).extracting(KeyValue::getKey)
				.containsExactlyInAnyOrder(names(documented.getLowCardinalityKeyNames()));
			assertThat(stopped.context().getHighCardinalityKeyValues()).extracting(KeyValue::getKey)
				.isSubsetOf(names(documented.getHighCardinalityKeyNames()));
		});
	}

	@Test
	void conventionsFiltersAndPredicatesOfTheApplicationApply() {
		Stopped stopped = new Stopped();
		this.withTracer.withBean(Stopped.class, () -> stopped)
			.withBean(OwnConvention.class, OwnConvention::new)
			.withBean(ObservationFilter.class,
					() -> (context) -> context.addLowCardinalityKeyValue(KeyValue.of("region", "north")))
			.run((context) -> {
				process(context);
				assertThat(stopped.context().getContextualName()).isEqualTo("orders, attempt 2");
				assertThat(stopped.context().getLowCardinalityKeyValues())
					.containsExactlyInAnyOrder(KeyValue.of("how", "retry"), KeyValue.of("region", "north"));
			});
		this.withTracer
			.withBean(ObservationPredicate.class, () -> (name, context) -> !name.equals("delayqueue.process"))
			.run((context) -> assertThat(begin(context).<String, RuntimeException>during(() -> currentTrace(context)))
				.isEqualTo("none"));
	}

	private static String[] names(KeyName... keys) {
		return Arrays.stream(keys).map(KeyName::asString).toArray(String[]::new);
	}

	/** Records the context of the last observation. */
	private static final class Stopped implements ObservationHandler<ProcessingContext> {

		private Observation.Context context = new Observation.Context();

		Observation.Context context() {
			return this.context;
		}

		@Override
		public void onStop(ProcessingContext context) {
			this.context = context;
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof ProcessingContext;
		}

	}

	private static final class OwnConvention implements GlobalObservationConvention<ProcessingContext> {

		@Override
		public String getName() {
			return "own";
		}

		@Override
		public String getContextualName(ProcessingContext context) {
			return context.queue() + ", attempt " + context.attempt();
		}

		@Override
		public KeyValues getLowCardinalityKeyValues(ProcessingContext context) {
			return KeyValues.of("how", context.outcome());
		}

		@Override
		public boolean supportsContext(Observation.Context context) {
			return context instanceof ProcessingContext;
		}

	}

	private static void process(ApplicationContext context) {
		MessageSpan span = begin(context);
		span.outcome(HandlerOutcome.RETRY);
		span.end();
	}

	private static MessageSpan begin(ApplicationContext context) {
		return context.getBeanProvider(MessageTracing.class)
			.getIfAvailable(() -> MessageTracing.NONE)
			.processing("orders", "o-1", 2, Map.of());
	}

	private static String currentTrace(ApplicationContext context) {
		var current = context.getBean(Tracer.class).currentSpan();
		return (current != null) ? current.context().traceId() : "none";
	}

}
