package io.delayqueue.autoconfigure;

import java.time.Duration;

import io.delayqueue.delivery.ConsumerTools;
import io.delayqueue.delivery.HandlerThreads;
import io.delayqueue.delivery.QueueConsumerFactory;
import io.delayqueue.delivery.RedisQueueConsumerFactory;
import io.delayqueue.lifecycle.LoopRegistry;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.listener.DelayedListenerAnnotationBeanPostProcessor;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.maintain.Maintainer;
import io.delayqueue.observe.EventPublisher;
import io.delayqueue.observe.EventQueueObserver;
import io.delayqueue.observe.MessageTracing;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.queue.Queues;
import io.delayqueue.store.DueMessages;
import io.delayqueue.store.HintChannel;
import io.delayqueue.store.Leases;
import io.delayqueue.store.PartitionPeek;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.ReadyMessages;
import io.delayqueue.store.Repairs;
import io.delayqueue.sweep.HintListener;
import io.delayqueue.sweep.Sweeper;
import io.delayqueue.sweep.Sweeper.Sides;
import io.delayqueue.sweep.Sweeper.WakeUps;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnThreading;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the beans that applications with listeners need: the sweeper, the
 * consumers, and the maintenance of their queues. They are idle until a listener
 * container starts.
 */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class)
@ConditionalOnBean(RedisGate.class)
@EnableConfigurationProperties(LifecycleProperties.class)
public final class DelayQueueListenerAutoConfiguration {

	/**
	 * The sweeper of this process notifies its consumers. This interval covers missed
	 * notifications.
	 */
	private static final Duration BACKSTOP_WITH_SWEEPER = Duration.ofSeconds(5);

	@Bean(destroyMethod = "destroy")
	@ConditionalOnMissingBean
	@ConditionalOnBooleanProperty(name = "delayqueue.sweeper.enabled", matchIfMissing = true)
	Sweeper delayQueueSweeper(CheckedProperties properties, DueMessages due, PartitionPeek peek, Queues queues,
			Signals signals, RedisGate gate, LoopRegistry loops,
			@Qualifier("delayQueueObservers") QueueObserver observer) {
		return new Sweeper(properties.sweeper(), new Sides(due, peek), queues, new WakeUps(signals, gate, loops),
				observer);
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBooleanProperty(name = "delayqueue.sweeper.enabled", matchIfMissing = true)
	HintListener delayQueueHintListener(HintChannel hints, Signals signals, RedisGate gate) {
		return new HintListener(hints, signals, gate);
	}

	@Bean
	@ConditionalOnMissingBean
	Maintainer delayQueueMaintainer(CheckedProperties properties, Repairs repairs, Leases leases, Signals signals,
			RedisGate gate, LoopRegistry loops, @Qualifier("delayQueueObservers") QueueObserver observer) {
		return new Maintainer(properties.maintenance(), new Maintainer.Sides(repairs, leases),
				new Maintainer.WakeUps(signals, gate, loops), observer);
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnThreading(Threading.VIRTUAL)
	HandlerThreads delayQueueVirtualHandlerThreads() {
		return TaskExecutorThreads::virtual;
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnThreading(Threading.PLATFORM)
	HandlerThreads delayQueueHandlerThreads() {
		return TaskExecutorThreads::pooled;
	}

	@Bean
	@ConditionalOnMissingBean
	QueueConsumerFactory delayQueueConsumerFactory(ReadyMessages ready, Leases leases, QueueDirectory directory,
			Signals signals, HintChannel hints, RedisGate gate, LoopRegistry loops, CheckedProperties properties,
			HandlerThreads threads, @Qualifier("delayQueueObservers") QueueObserver observer,
			@Qualifier("delayQueueMessageTracing") MessageTracing tracing) {
		Duration backstop = properties.isSweeping() ? BACKSTOP_WITH_SWEEPER : properties.sweeper().interval();
		return new RedisQueueConsumerFactory(
				new ConsumerTools(ready, leases, directory, signals, hints, gate, loops, observer, tracing, backstop),
				threads);
	}

	@Bean
	@ConditionalOnMissingBean
	EventPublisher delayQueueEventPublisher(ApplicationEventPublisher publisher) {
		// Stops after the listeners, so that their last events are still published
		return new EventPublisher(publisher, DelayedListenerRegistry.PHASE - 1);
	}

	@Bean
	@ConditionalOnMissingBean
	EventQueueObserver delayQueueEvents(EventPublisher events) {
		return new EventQueueObserver(events);
	}

	@Bean
	@ConditionalOnMissingBean
	DelayedListenerRegistry delayedListenerRegistry(LifecycleProperties lifecycle) {
		return new DelayedListenerRegistry(lifecycle.getTimeoutPerShutdownPhase());
	}

	@Bean
	@ConditionalOnMissingBean
	static DelayedListenerAnnotationBeanPostProcessor delayedListenerAnnotationBeanPostProcessor() {
		return new DelayedListenerAnnotationBeanPostProcessor();
	}

	/**
	 * Keeps beans with listeners eager with {@code spring.main.lazy-initialization}. A
	 * bean that is annotated with {@code @Lazy} stays lazy.
	 */
	@Bean
	static LazyInitializationExcludeFilter delayedListenerLazyInitializationExcludeFilter() {
		return (name, definition, type) -> DelayedListenerAnnotationBeanPostProcessor.hasListeners(type);
	}

}
