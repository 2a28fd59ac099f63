package io.delayqueue.autoconfigure;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.actuate.DelayQueueEndpoint;
import io.delayqueue.actuate.DelayQueueEndpointWebExtension;
import io.delayqueue.actuate.KnownParametersOnly;
import io.delayqueue.actuate.MaskedContent;
import io.delayqueue.actuate.MessageReports;
import io.delayqueue.actuate.Operator;
import io.delayqueue.actuate.QueueReports;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.MessageMask;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.operate.KnownPartitions;
import io.delayqueue.operate.MessagePages;
import io.delayqueue.operate.RepairService;
import io.delayqueue.queue.Queues;
import io.delayqueue.store.Consumers;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.Repairs;
import io.delayqueue.store.RetryingCalls;
import io.delayqueue.store.ScheduledMessages;
import io.delayqueue.store.Snapshots;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the actuator endpoint, if it is exposed and its access is not
 * {@code none}.
 */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class)
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnBean({ QueueDirectory.class, Snapshots.class, ScheduledMessages.class, MessagePages.class })
@ConditionalOnAvailableEndpoint(DelayQueueEndpoint.class)
@EnableConfigurationProperties(DelayQueueEndpointProperties.class)
public final class DelayQueueEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	MaskedContent delayQueueMaskedContent(ObjectProvider<MessageMask> masks, DelayQueueEndpointProperties properties) {
		return new MaskedContent(masks.orderedStream().toList(), properties.checkedMaxPayloadSize());
	}

	@Bean
	@ConditionalOnMissingBean
	QueueReports delayQueueReports(QueueDirectory directory, Snapshots snapshots, RedisCalls calls,
			ObjectProvider<DelayedListenerRegistry> listeners, Queues queues) {
		return new QueueReports(directory, snapshots, new Consumers(calls), listeners.getIfAvailable(), queues);
	}

	@Bean
	@ConditionalOnMissingBean
	MessageReports delayQueueMessageReports(QueueDirectory directory, MessagePages pages, ScheduledMessages messages,
			MaskedContent content) {
		return new MessageReports(directory, pages, messages, content);
	}

	@Bean
	@ConditionalOnMissingBean
	RepairService delayQueueRepairService(QueueDirectory directory, RetryingCalls retryingCalls, Repairs repairs,
			Signals signals, @Qualifier("delayQueueObservers") QueueObserver observer) {
		return new RepairService(new KnownPartitions(directory, retryingCalls), repairs, retryingCalls, signals,
				observer);
	}

	@Bean
	@ConditionalOnMissingBean
	Operator delayQueueOperator(MessageReports reports, Queues queues, DelayQueueOperations operations,
			DelayQueueAdmin admin, RepairService repairService,
			@Qualifier("delayQueueObservers") QueueObserver observer) {
		return new Operator(reports, queues, operations, admin, repairService, observer);
	}

	@Bean
	@ConditionalOnMissingBean
	DelayQueueEndpoint delayQueueEndpoint(QueueReports queues, MessageReports messages, Operator operator,
			DelayQueueEndpointProperties properties) {
		return new DelayQueueEndpoint(queues, messages, operator, properties.showPayloads());
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnAvailableEndpoint(endpoint = DelayQueueEndpoint.class, exposure = EndpointExposure.WEB)
	KnownParametersOnly delayQueueKnownParametersOnly() {
		return new KnownParametersOnly();
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnAvailableEndpoint(endpoint = DelayQueueEndpoint.class, exposure = EndpointExposure.WEB)
	DelayQueueEndpointWebExtension delayQueueEndpointWebExtension(DelayQueueEndpoint endpoint,
			DelayQueueEndpointProperties properties) {
		return new DelayQueueEndpointWebExtension(endpoint, properties.showPayloads(), properties.roles());
	}

}
