package io.delayqueue.autoconfigure;

import java.util.List;
import java.util.Set;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.actuate.DelayQueueEndpoint;
import io.delayqueue.actuate.DelayQueueEndpointWebExtension;
import io.delayqueue.actuate.KnownParametersOnly;
import io.delayqueue.actuate.MaskedContent;
import io.delayqueue.actuate.MessageReports;
import io.delayqueue.actuate.Operator;
import io.delayqueue.actuate.QueueReports;
import io.delayqueue.admin.MessageMask;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.operate.HistoryPages;
import io.delayqueue.operate.MessagePages;
import io.delayqueue.store.KnownMessages;
import io.delayqueue.store.Trends;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;

class DelayQueueEndpointAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("spring.data.redis.client-type=jedis")
		.withConfiguration(AutoConfigurations.of(DelayQueueEndpointAutoConfiguration.class,
				DelayQueueAutoConfiguration.class, DataRedisAutoConfiguration.class));

	private final ApplicationContextRunner exposed = this.runner
		.withPropertyValues("management.endpoints.web.exposure.include=delayqueue");

	@Test
	void endpointIsCreatedWhenExposed() {
		this.exposed.run((context) -> assertThat(context).hasSingleBean(DelayQueueEndpoint.class)
			.hasSingleBean(DelayQueueEndpointWebExtension.class));
	}

	@Test
	void endpointIsNotCreatedUnlessExposed() {
		this.runner.run((context) -> assertThat(context).hasSingleBean(DelayQueueOperations.class)
			.doesNotHaveBean(DelayQueueEndpoint.class)
			.doesNotHaveBean(DelayQueueEndpointWebExtension.class));
	}

	@Test
	void noWebExtensionWhenExposedByJmxOnly() {
		this.runner
			.withPropertyValues("spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=delayqueue")
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueEndpoint.class)
				.doesNotHaveBean(DelayQueueEndpointWebExtension.class));
	}

	@Test
	void endpointIsNotCreatedWithoutAccess() {
		this.exposed.withPropertyValues("management.endpoint.delayqueue.access=NONE")
			.run((context) -> assertThat(context).doesNotHaveBean(DelayQueueEndpoint.class)
				.doesNotHaveBean(DelayQueueEndpointWebExtension.class));
	}

	@Test
	void defaultAccessIsReadOnly() {
		assertThat(DelayQueueEndpoint.class.getAnnotation(Endpoint.class).defaultAccess()).isEqualTo(Access.READ_ONLY);
	}

	@Test
	void withoutActuatorDelayedMessagesWork() {
		this.exposed.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate.endpoint.annotation"))
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueOperations.class)
				.doesNotHaveBean(DelayQueueEndpointAutoConfiguration.class));
	}

	@Test
	void endpointOfTheApplicationReplacesTheDefault() {
		this.exposed.withUserConfiguration(OwnEndpoint.class)
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueEndpoint.class).hasBean("ownEndpoint"));
	}

	@Test
	void beansOfTheApplicationReplaceTheDefaults() {
		this.exposed.withUserConfiguration(OwnParts.class)
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueEndpointWebExtension.class)
				.hasSingleBean(KnownParametersOnly.class)
				.hasBean("ownKnownParametersOnly")
				.hasBean("ownExtension"));
	}

	@Test
	void payloadsAreHiddenUnlessEnabledByProperties() {
		this.exposed.run((context) -> assertThat(context.getBean(DelayQueueEndpointProperties.class))
			.isEqualTo(new DelayQueueEndpointProperties(Show.NEVER, Set.of(), DataSize.ofKilobytes(4))));
		this.exposed
			.withPropertyValues("management.endpoint.delayqueue.show-payloads=when_authorized",
					"management.endpoint.delayqueue.roles=operator,boss",
					"management.endpoint.delayqueue.max-payload-size=16MB")
			.run((context) -> assertThat(context.getBean(DelayQueueEndpointProperties.class))
				.isEqualTo(new DelayQueueEndpointProperties(Show.WHEN_AUTHORIZED, Set.of("operator", "boss"),
						DataSize.ofMegabytes(16))));
	}

	@Test
	void commonEndpointPropertiesApply() {
		this.exposed
			.withPropertyValues("management.endpoint.delayqueue.access=READ_ONLY",
					"management.endpoint.delayqueue.cache.time-to-live=5s")
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(DelayQueueEndpoint.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "0B", "17MB", "-1B" })
	void maxPayloadSizeOutOfBoundsPreventsTheStart(String size) {
		this.exposed.withPropertyValues("management.endpoint.delayqueue.max-payload-size=" + size)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidConfigurationException.class)
				.hasMessageContaining("management.endpoint.delayqueue.max-payload-size is '" + size
						+ "' but must be from 1B to 16MB"));
	}

	@Test
	void masksApplyInTheirOrder() {
		this.exposed.withBean("b", MessageMask.class, () -> new OrderedMask(2))
			.withBean("a", MessageMask.class, () -> new OrderedMask(1))
			.run((context) -> assertThat(context.getBeanProvider(MessageMask.class).orderedStream())
				.containsExactly(context.getBean("a", MessageMask.class), context.getBean("b", MessageMask.class)));
	}

	private record OrderedMask(int order) implements MessageMask, Ordered {

		@Override
		public String mask(Content content) {
			return content.text();
		}

		@Override
		public int getOrder() {
			return this.order;
		}

	}

	@Test
	void disablingDelayedMessagesRemovesAllBeans() {
		this.exposed.withPropertyValues("delayqueue.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(DelayQueueEndpoint.class)
				.doesNotHaveBean(DelayQueueEndpointWebExtension.class));
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnEndpoint {

		@Bean
		DelayQueueEndpoint ownEndpoint(DelayQueueEngine engine) {
			MessageReports messages = new MessageReports(engine.directory(), new MessagePages(engine.calls()),
					new HistoryPages(engine.calls()), new KnownMessages(engine.calls()),
					new MaskedContent(List.of(), DataSize.ofBytes(1)), engine.queues());
			return new DelayQueueEndpoint(
					new QueueReports(engine.directory(), engine.calls(), null, engine.queues(), engine.fleet()),
					messages, engine.recurring(), new Trends(engine.calls()),
					new Operator(messages, engine.operations(), engine.admin(), engine.repairService(),
							engine.recurring(), QueueObserver.NONE),
					Show.NEVER);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnParts {

		@Bean
		KnownParametersOnly ownKnownParametersOnly() {
			return new KnownParametersOnly();
		}

		@Bean
		DelayQueueEndpointWebExtension ownExtension(DelayQueueEndpoint endpoint) {
			return new DelayQueueEndpointWebExtension(endpoint, Show.NEVER, Set.of());
		}

	}

}
