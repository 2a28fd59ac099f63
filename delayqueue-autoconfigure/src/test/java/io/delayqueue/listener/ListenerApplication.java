package io.delayqueue.listener;

import java.time.Duration;
import java.util.Set;
import java.util.Map;
import java.util.concurrent.CompletionStage;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.PayloadConverter;
import io.delayqueue.delivery.Delivery;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.schedule.JacksonPayloadConverter;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.PropertySourcesPlaceholderConfigurer;
import org.springframework.core.env.MapPropertySource;

/**
 * An application with listeners, and with consumers in memory.
 */
final class ListenerApplication implements AutoCloseable {

	static final Duration PHASE_TIMEOUT = Duration.ofSeconds(20);

	static final int CONFIGURED_CONCURRENCY = 10;

	final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	/** An application that is not started yet. */
	static ListenerApplication with(Class<?>... beans) {
		ListenerApplication application = new ListenerApplication();
		application.context.register(Infrastructure.class);
		application.context.register(beans);
		return application;
	}

	static ListenerApplication start(Class<?>... beans) {
		return with(beans).start();
	}

	ListenerApplication property(String name, Object value) {
		this.context.getEnvironment().getPropertySources().addLast(new MapPropertySource(name, Map.of(name, value)));
		return this;
	}

	ListenerApplication start() {
		try {
			this.context.refresh();
		}
		catch (RuntimeException ex) {
			this.context.close();
			throw ex;
		}
		return this;
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	InMemoryConsumers consumers() {
		return bean(InMemoryConsumers.class);
	}

	DelayedListenerRegistry registry() {
		return bean(DelayedListenerRegistry.class);
	}

	@Nullable CompletionStage<?> deliver(Delivery delivery) throws Throwable {
		return consumers().of(delivery.queue()).handler.handle(delivery);
	}

	@Override
	public void close() {
		this.context.close();
	}

	@Configuration(proxyBeanMethods = false)
	static class Infrastructure {

		@Bean
		static DelayedListenerAnnotationBeanPostProcessor postProcessor() {
			return new DelayedListenerAnnotationBeanPostProcessor();
		}

		@Bean
		static PropertySourcesPlaceholderConfigurer placeholders() {
			return new PropertySourcesPlaceholderConfigurer();
		}

		@Bean
		DelayedListenerRegistry registry() {
			return new DelayedListenerRegistry(PHASE_TIMEOUT);
		}

		@Bean
		InMemoryConsumers consumers() {
			return new InMemoryConsumers();
		}

		@Bean
		Queues queues() {
			return (name) -> settings(name,
					name.equals("narrow") ? new GroupSettings(0, false, false, 3, 2, Map.of()) : GroupSettings.NONE);
		}

		private static QueueSettings settings(String name, GroupSettings groups) {
			return new QueueSettings(name, 1, CONFIGURED_CONCURRENCY, Duration.ofSeconds(30), Duration.ofDays(1), 1024,
					Duration.ofSeconds(10), Duration.ofMinutes(2), new RetrySettings(1, 1, 1, 1, Duration.ofHours(1),
							BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of()),
					groups, ExpirySettings.NEVER);
		}

		@Bean
		PayloadConverter payloadConverter() {
			return new JacksonPayloadConverter(JsonMapper.builder().build());
		}

	}

}
