package io.delayqueue.listener;

import io.delayqueue.DelayedMessage;
import io.delayqueue.delivery.Delivery;

import org.springframework.core.MethodParameter;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;

/**
 * Resolves {@link DelayedMessage} parameters. The payload is converted once, before the
 * handler is called, so a message that cannot be converted never reaches the handler.
 */
final class DelayedMessageArgumentResolver implements HandlerMethodArgumentResolver {

	private final PayloadArgumentResolver payloads;

	DelayedMessageArgumentResolver(PayloadArgumentResolver payloads) {
		this.payloads = payloads;
	}

	@Override
	public boolean supportsParameter(MethodParameter parameter) {
		return PayloadTypes.classOf(parameter) == DelayedMessage.class;
	}

	@Override
	public Object resolveArgument(MethodParameter parameter, Message<?> message) {
		return new ReceivedMessage<>((Delivery) message.getPayload(),
				this.payloads.resolveArgument(parameter, message));
	}

}
