package io.delayqueue.autoconfigure;

import java.time.InstantSource;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.PayloadConverter;
import io.delayqueue.ScheduleRequestCustomizer;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.lifecycle.LoopRegistry;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.listener.DelayedListenerContainer;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.observe.GuardedMessageTracing;
import io.delayqueue.observe.MessageTracing;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.observe.QueueObservers;
import io.delayqueue.observe.QueueStatistics;
import io.delayqueue.operate.DelayQueueAdminTemplate.WholeQueues;
import io.delayqueue.operate.DelayQueueAdminTemplate;
import io.delayqueue.operate.KnownPartitions;
import io.delayqueue.operate.MessagePages;
import io.delayqueue.operate.PurgeService;
import io.delayqueue.operate.QueueControl;
import io.delayqueue.queue.Queues;
import io.delayqueue.redis.DelayQueueRedisTemplate;
import io.delayqueue.redis.DriverSettings;
import io.delayqueue.schedule.DelayQueueTemplate.ProducerSide;
import io.delayqueue.schedule.DelayQueueTemplate.Requests;
import io.delayqueue.schedule.DelayQueueTemplate.Watch;
import io.delayqueue.schedule.DelayQueueTemplate;
import io.delayqueue.schedule.GroupCalls;
import io.delayqueue.schedule.JacksonPayloadConverter;
import io.delayqueue.schedule.SweepNotifier;
import io.delayqueue.server.ServerChecks;
import io.delayqueue.server.ServerFaults;
import io.delayqueue.server.ServerInfo;
import io.delayqueue.store.DeadLetters;
import io.delayqueue.store.DueMessages;
import io.delayqueue.store.Groups;
import io.delayqueue.store.HintChannel;
import io.delayqueue.store.Leases;
import io.delayqueue.store.Pages;
import io.delayqueue.store.PartitionControl;
import io.delayqueue.store.PartitionPeek;
import io.delayqueue.store.Purges;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.ReadyMessages;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.Repairs;
import io.delayqueue.store.RetryingCalls;
import io.delayqueue.store.ScheduledMessages;
import io.delayqueue.store.Snapshots;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisOperations;
import org.springframework.data.redis.core.RedisTemplate;

/**
 * Auto-configuration of the beans that every application with delayed messages needs: the
 * store, and the template for producers.
 */
@AutoConfiguration(after = { DataRedisAutoConfiguration.class, JacksonAutoConfiguration.class })
@ConditionalOnClass(RedisOperations.class)
@Conditional({ OnEnabled.class, OnRedisConnectionFactory.class })
@EnableConfigurationProperties(DelayQueueProperties.class)
@ImportRuntimeHints(DelayQueueRuntimeHints.class)
public final class DelayQueueAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	DriverSettings delayQueueDriverSettings(
			@Qualifier("delayQueueRedisTemplate") RedisTemplate<String, byte[]> template) {
		return DriverSettings.of(template.getRequiredConnectionFactory());
	}

	@Bean
	@ConditionalOnMissingBean
	CheckedProperties delayQueueCheckedProperties(DelayQueueProperties properties, BindFaults bind,
			DriverSettings driver) {
		return new CheckedProperties(properties, bind, driver);
	}

	@Bean
	@ConditionalOnMissingBean
	static BindFaults delayQueueBindFaults() {
		return new BindFaults();
	}

	/** Reports faults at startup even if beans are initialized lazily. */
	@Bean
	static LazyInitializationExcludeFilter delayQueueLazyInitializationExcludeFilter() {
		return LazyInitializationExcludeFilter.forBeanTypes(CheckedProperties.class);
	}

	@Bean
	@ConditionalOnMissingBean
	Queues delayQueueQueues(CheckedProperties properties) {
		return properties.queues();
	}

	@Bean(defaultCandidate = false)
	@ConditionalOnMissingBean(name = "delayQueueRedisTemplate")
	DelayQueueRedisTemplate delayQueueRedisTemplate(@DelayQueueRedis ObjectProvider<RedisConnectionFactory> own,
			ObjectProvider<RedisConnectionFactory> connections) {
		return new DelayQueueRedisTemplate(own.getIfAvailable(connections::getObject));
	}

	@Bean
	@ConditionalOnMissingBean
	RedisCalls delayQueueRedisCalls(@Qualifier("delayQueueRedisTemplate") RedisTemplate<String, byte[]> template,
			CheckedProperties properties) {
		return new RedisCalls(template, properties.keySpace());
	}

	@Bean
	@ConditionalOnMissingBean
	ScheduledMessages delayQueueScheduledMessages(RedisCalls calls) {
		return new ScheduledMessages(calls);
	}

	@Bean
	@ConditionalOnMissingBean
	DueMessages delayQueueDueMessages(RedisCalls calls) {
		return new DueMessages(calls);
	}

	@Bean
	@ConditionalOnMissingBean
	ReadyMessages delayQueueReadyMessages(RedisCalls calls) {
		return new ReadyMessages(calls);
	}

	@Bean
	@ConditionalOnMissingBean
	PartitionPeek delayQueuePartitionPeek(RedisCalls calls) {
		return new PartitionPeek(calls);
	}

	@Bean
	@ConditionalOnMissingBean
	Leases delayQueueLeases(RedisCalls calls) {
		return new Leases(calls);
	}

	@Bean
	@ConditionalOnMissingBean
	Repairs delayQueueRepairs(RedisCalls calls) {
		return new Repairs(calls);
	}

	@Bean
	@ConditionalOnMissingBean
	QueueDirectory delayQueueDirectory(RedisCalls calls) {
		return new QueueDirectory(calls);
	}

	@Bean
	@ConditionalOnMissingBean
	Snapshots delayQueueSnapshots(RedisCalls calls) {
		return new Snapshots(calls);
	}

	@Bean
	@ConditionalOnMissingBean
	ServerInfo delayQueueServerInfo(RedisCalls calls) {
		return new ServerInfo(calls);
	}

	@Bean
	@ConditionalOnMissingBean
	QueueStatistics delayQueueStatistics(Snapshots snapshots, Queues queues, RedisGate gate,
			CheckedProperties properties) {
		return new QueueStatistics(snapshots, queues, gate, QueueStatistics.FRESH,
				properties.health().toleratedOutage());
	}

	@Bean
	@ConditionalOnMissingBean
	HintChannel delayQueueHintChannel(RedisCalls calls) {
		return new HintChannel(calls);
	}

	@Bean
	@ConditionalOnMissingBean
	Signals delayQueueSignals() {
		return new Signals();
	}

	@Bean
	@ConditionalOnMissingBean
	LoopRegistry delayQueueLoops() {
		return new LoopRegistry();
	}

	@Bean
	@ConditionalOnMissingBean
	RedisGate delayQueueRedisGate(RedisCalls calls, DriverSettings driver) {
		return new RedisGate(driver.cluster() ? null : calls::answers);
	}

	@Bean
	@ConditionalOnMissingBean
	ServerFaults delayQueueServerFaults() {
		return new ServerFaults();
	}

	@Bean
	@ConditionalOnMissingBean
	StartupCheck delayQueueStartupCheck(CheckedProperties properties, Queues queues, DriverSettings driver,
			RedisCalls calls, QueueDirectory directory, ServerFaults faults, RedisGate gate,
			ObjectProvider<DelayedListenerRegistry> listeners) {
		KnownQueues known = new KnownQueues(queues, properties.namedQueues(),
				() -> listeners.stream()
					.flatMap((registry) -> registry.containers().stream())
					.map(DelayedListenerContainer::queue)
					.toList());
		return new StartupCheck(properties.startupChecks(), known, driver,
				new ServerChecks(calls, directory, InstantSource.system()), faults, gate);
	}

	@Bean
	@ConditionalOnMissingBean
	RetryingCalls delayQueueRetryingCalls(CheckedProperties properties, RedisGate gate) {
		return new RetryingCalls(properties.scheduleDeadline(), gate);
	}

	@Bean
	@ConditionalOnMissingBean
	PayloadConverter delayQueuePayloadConverter(ObjectProvider<JsonMapper> mapper) {
		return new JacksonPayloadConverter(mapper.getIfAvailable(() -> JsonMapper.builder().build()));
	}

	/** All observers, including the application's. Injected by name only. */
	@Bean(defaultCandidate = false)
	@ConditionalOnMissingBean(name = "delayQueueObservers")
	QueueObservers delayQueueObservers(ObjectProvider<QueueObserver> observers) {
		return new QueueObservers(observers.orderedStream().toList());
	}

	/** The guarded tracing, if there is one. Injected by name only. */
	@Bean(defaultCandidate = false)
	@ConditionalOnMissingBean(name = "delayQueueMessageTracing")
	GuardedMessageTracing delayQueueMessageTracing(ObjectProvider<MessageTracing> tracing) {
		return new GuardedMessageTracing(tracing.getIfAvailable(() -> MessageTracing.NONE));
	}

	@Bean
	@ConditionalOnMissingBean
	SweepNotifier delayQueueSweepNotifier(Signals signals, HintChannel hints) {
		return new SweepNotifier(signals, hints);
	}

	@Bean
	@ConditionalOnMissingBean
	GroupCalls delayQueueGroupCalls(Queues queues, RedisCalls calls, RetryingCalls retryingCalls) {
		return new GroupCalls(queues, new Groups(calls), new Purges(calls), retryingCalls);
	}

	@Bean
	@ConditionalOnMissingBean(DelayQueueOperations.class)
	DelayQueueTemplate delayQueueTemplate(Queues queues, PayloadConverter converter,
			ObjectProvider<ScheduleRequestCustomizer> customizers, RetryingCalls retryingCalls,
			ScheduledMessages messages, QueueDirectory directory, GroupCalls groups, SweepNotifier sweepNotifier,
			@Qualifier("delayQueueObservers") QueueObserver observer,
			@Qualifier("delayQueueMessageTracing") MessageTracing tracing) {
		return new DelayQueueTemplate(queues, new Requests(customizers.orderedStream().toList(), converter),
				retryingCalls, new ProducerSide(messages, directory, groups), sweepNotifier,
				new Watch(observer, tracing));
	}

	@Bean
	@ConditionalOnMissingBean
	DeadLetters delayQueueDeadLetters(RedisCalls calls) {
		return new DeadLetters(calls);
	}

	@Bean
	@ConditionalOnMissingBean
	MessagePages delayQueueMessagePages(RedisCalls calls) {
		return new MessagePages(new Pages(calls));
	}

	@Bean
	@ConditionalOnMissingBean(DelayQueueAdmin.class)
	DelayQueueAdminTemplate delayQueueAdmin(Queues queues, MessagePages pages, DeadLetters deadLetters, Signals signals,
			RetryingCalls retryingCalls, WholeQueues wholeQueues) {
		return new DelayQueueAdminTemplate(queues, pages, deadLetters, signals, retryingCalls, wholeQueues);
	}

	@Bean
	@ConditionalOnMissingBean
	WholeQueues delayQueueWholeQueues(RedisCalls calls, QueueDirectory directory, RetryingCalls retryingCalls,
			Signals signals, HintChannel hints) {
		KnownPartitions known = new KnownPartitions(directory, retryingCalls);
		return new WholeQueues(new QueueControl(known, new PartitionControl(calls), retryingCalls, signals, hints),
				new PurgeService(known, new Pages(calls), new Purges(calls), retryingCalls));
	}

}
