package io.delayqueue.autoconfigure;

import java.time.InstantSource;
import java.util.List;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.PayloadConverter;
import io.delayqueue.RecurringOperations;
import io.delayqueue.ScheduleRequestCustomizer;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.delivery.HandlerThreads;
import io.delayqueue.delivery.QueueConsumerFactory;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.listener.DelayedListenerAnnotationBeanPostProcessor;
import io.delayqueue.listener.DelayedListenerContainer;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.observe.EventPublisher;
import io.delayqueue.observe.MessageTracing;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.observe.QueueStatistics;
import io.delayqueue.queue.Queues;
import io.delayqueue.redis.DriverSettings;
import io.delayqueue.redis.RedisAccess;
import io.delayqueue.schedule.JacksonPayloadConverter;
import io.delayqueue.server.ServerChecks;
import io.delayqueue.server.ServerFaults;
import io.delayqueue.store.Snapshots;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisOperations;
import org.springframework.data.redis.core.RedisTemplate;

/**
 * Auto-configuration of delayed messages: the engine, the operations that the application
 * injects, and the listeners of the application.
 */
@AutoConfiguration(after = { DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class })
@ConditionalOnClass(RedisOperations.class)
@Conditional({ OnEnabled.class, OnRedisConnectionFactory.class, OnNoParentEngine.class })
@EnableConfigurationProperties({ DelayQueueProperties.class, LifecycleProperties.class })
@ImportRuntimeHints(DelayQueueRuntimeHints.class)
public final class DelayQueueAutoConfiguration implements AopInfrastructureBean {

	@Bean
	static BindFaults delayQueueBindFaults() {
		return new BindFaults();
	}

	@Bean
	CheckedProperties delayQueueCheckedProperties(DelayQueueProperties properties, BindFaults bind, RedisAccess redis,
			LifecycleProperties lifecycle) {
		return new CheckedProperties(properties, bind,
				DriverSettings.of(redis.template().getRequiredConnectionFactory()),
				lifecycle.getTimeoutPerShutdownPhase());
	}

	/**
	 * Excludes beans with listeners, and the check of properties, from {@code
	 * spring.main.lazy-initialization}. So listeners run, and invalid properties are
	 * reported, when the application starts.
	 */
	@Bean
	static LazyInitializationExcludeFilter delayQueueLazyInitializationExcludeFilter() {
		return (name, definition, type) -> CheckedProperties.class.isAssignableFrom(type)
				|| DelayedListenerAnnotationBeanPostProcessor.hasListeners(type);
	}

	@Bean
	@ConditionalOnMissingBean
	Queues delayQueueQueues(CheckedProperties properties) {
		return properties.queues();
	}

	@Bean
	RedisAccess delayQueueRedisAccess(
			@Qualifier("delayQueueRedisTemplate") ObjectProvider<RedisTemplate<String, byte[]>> template,
			@DelayQueueRedis ObjectProvider<RedisConnectionFactory> own,
			ObjectProvider<RedisConnectionFactory> connections) {
		RedisTemplate<String, byte[]> ofTheApplication = template.getIfAvailable();
		return (ofTheApplication != null) ? new RedisAccess(ofTheApplication)
				: new RedisAccess(ConnectionChoice.of(own, connections));
	}

	@Bean
	@ConditionalOnMissingBean
	PayloadConverter delayQueuePayloadConverter(ObjectProvider<JsonMapper> mapper) {
		return new JacksonPayloadConverter(mapper.getIfAvailable(() -> JsonMapper.builder().build()));
	}

	@Bean
	@ConditionalOnMissingBean
	DelayQueueEngine delayQueueEngine(RedisAccess redis, CheckedProperties properties, Queues queues,
			PayloadConverter converter, ObjectProvider<ScheduleRequestCustomizer> customizers,
			ObjectProvider<QueueObserver> observers, ObjectProvider<MessageTracing> tracing, Environment environment) {
		DelayQueueEngine engine = properties.configure(DelayQueueEngine.builder(redis.template(), queues))
			.payloadConverter(converter)
			.customizers(() -> customizers.orderedStream().toList())
			.observers(observers.orderedStream().toList())
			.tracing(tracing.getIfAvailable(() -> MessageTracing.NONE))
			.handlerThreads(
					Threading.VIRTUAL.isActive(environment) ? HandlerThreads.virtual() : HandlerThreads.platform())
			.build();
		properties.namedQueues().forEach((name) -> engine.directory().declare(queues.settings(name)));
		return engine;
	}

	@Bean
	@ConditionalOnMissingBean
	DelayQueueOperations delayQueueTemplate(DelayQueueEngine engine) {
		return engine.operations();
	}

	@Bean
	@ConditionalOnMissingBean
	RecurringOperations delayQueueRecurringTemplate(DelayQueueEngine engine) {
		return engine.recurring();
	}

	@Bean
	@ConditionalOnMissingBean
	DelayQueueAdmin delayQueueAdmin(DelayQueueEngine engine) {
		return engine.admin();
	}

	@Bean
	@ConditionalOnMissingBean
	QueueStatistics delayQueueStatistics(DelayQueueEngine engine, CheckedProperties properties) {
		return new QueueStatistics(new Snapshots(engine.calls()), engine.queues(), engine.directory(), engine.gate(),
				QueueStatistics.FRESH, properties.health().toleratedOutage());
	}

	@Bean
	ServerFaults delayQueueServerFaults() {
		return new ServerFaults();
	}

	@Bean
	KnownQueues delayQueueKnownQueues(CheckedProperties properties, DelayQueueEngine engine,
			ObjectProvider<DelayedListenerRegistry> listeners) {
		return new KnownQueues(engine.queues(), properties.namedQueues(),
				() -> listeners.stream()
					.flatMap((registry) -> registry.containers().stream())
					.map(DelayedListenerContainer::queue)
					.toList());
	}

	@Bean
	StartupCheck delayQueueStartupCheck(CheckedProperties properties, DelayQueueEngine engine, ServerFaults faults,
			RedisAccess redis, KnownQueues queues) {
		return new StartupCheck(properties.startupChecks(), queues,
				DriverSettings.of(redis.template().getRequiredConnectionFactory()),
				new ServerChecks(engine.calls(), engine.directory(), InstantSource.system()), faults, engine.gate(),
				engine.tasks());
	}

	@Bean
	QueueConsumerFactory delayQueueConsumerFactory(DelayQueueEngine engine) {
		return engine.consumers();
	}

	@Bean
	EventPublisher delayQueueEventPublisher(ApplicationEventPublisher publisher) {
		// The publisher of events stops after the listeners, so that it still publishes
		// the last events of the listeners
		return new EventPublisher(publisher, DelayedListenerRegistry.PHASE - 1);
	}

	@Bean
	@ConditionalOnMissingBean
	DelayedListenerRegistry delayedListenerRegistry(LifecycleProperties lifecycle, DelayQueueProperties properties) {
		return new DelayedListenerRegistry(lifecycle.getTimeoutPerShutdownPhase(), properties.listener().autoStartup());
	}

	/**
	 * When the first {@code @DelayedListener} method declares a recurring schedule,
	 * starts the actor of the engine that stores all declared schedules.
	 */
	@Bean
	SmartInitializingSingleton delayQueueDeclaredSchedulesStarter(DelayQueueEngine engine, Environment environment,
			ObjectProvider<DelayedListenerRegistry> registries) {
		String application = environment.getProperty("spring.application.name", "");
		return () -> registries.ifAvailable((registry) -> registry
			.onDeclared(() -> engine.declaredSchedules().declare(application, registry::declared)));
	}

	@Bean
	UnusedQueues delayQueueUnusedQueues(KnownQueues queues) {
		return new UnusedQueues(queues);
	}

	@Bean
	@ConditionalOnMissingBean
	static DelayedListenerAnnotationBeanPostProcessor delayedListenerAnnotationBeanPostProcessor(BeanFactory beans) {
		return new DelayedListenerAnnotationBeanPostProcessor(
				() -> AutoConfigurationPackages.has(beans) ? AutoConfigurationPackages.get(beans) : List.of());
	}

}
