package io.delayqueue.autoconfigure;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.RecurringOperations;
import io.delayqueue.actuate.DelayQueueEndpoint;
import io.delayqueue.actuate.DelayQueueEndpointWebExtension;
import io.delayqueue.actuate.KnownParametersOnly;
import io.delayqueue.actuate.MaskedContent;
import io.delayqueue.actuate.MessageReports;
import io.delayqueue.actuate.Operator;
import io.delayqueue.actuate.QueueReports;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.admin.MessageMask;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.listener.DelayedListenerRegistry;
import io.delayqueue.operate.HistoryPages;
import io.delayqueue.operate.MessagePages;
import io.delayqueue.store.KnownMessages;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.Trends;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.ObjectProvider;
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
 * Auto-configuration of the actuator endpoint {@code delayqueue}, if the endpoint is
 * exposed and its access is not {@code none}.
 */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class)
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnBean(DelayQueueEngine.class)
@ConditionalOnAvailableEndpoint(DelayQueueEndpoint.class)
@EnableConfigurationProperties(DelayQueueEndpointProperties.class)
public final class DelayQueueEndpointAutoConfiguration implements AopInfrastructureBean {

	@Bean
	@ConditionalOnMissingBean
	DelayQueueEndpoint delayQueueEndpoint(DelayQueueEngine engine, DelayQueueOperations operations,
			DelayQueueAdmin admin, RecurringOperations recurring, ObjectProvider<DelayedListenerRegistry> listeners,
			ObjectProvider<MessageMask> masks, DelayQueueEndpointProperties properties) {
		RedisCalls calls = engine.calls();
		QueueReports queues = new QueueReports(engine.directory(), calls, listeners.getIfAvailable(), engine.queues(),
				engine.fleet());
		MessageReports messages = new MessageReports(engine.directory(), new MessagePages(calls),
				new HistoryPages(calls), new KnownMessages(calls),
				new MaskedContent(masks.orderedStream().toList(), properties.checkedMaxPayloadSize()), engine.queues());
		Operator operator = new Operator(messages, operations, admin, engine.repairService(), recurring,
				engine.observer());
		return new DelayQueueEndpoint(queues, messages, recurring, new Trends(calls), operator,
				properties.showPayloads());
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
