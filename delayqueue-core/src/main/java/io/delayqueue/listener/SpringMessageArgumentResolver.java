package io.delayqueue.listener;

import org.springframework.core.MethodParameter;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.messaging.support.GenericMessage;
import org.springframework.messaging.support.MessageBuilder;

/**
 * Resolves Spring's {@link Message} parameters: the converted payload with all headers.
 */
final class SpringMessageArgumentResolver implements HandlerMethodArgumentResolver {

	private final PayloadArgumentResolver payloads;

	SpringMessageArgumentResolver(PayloadArgumentResolver payloads) {
		this.payloads = payloads;
	}

	@Override
	public boolean supportsParameter(MethodParameter parameter) {
		Class<?> type = PayloadTypes.classOf(parameter);
		return type == Message.class || type == GenericMessage.class;
	}

	@Override
	public Object resolveArgument(MethodParameter parameter, Message<?> message) {
		return MessageBuilder.createMessage(this.payloads.resolveArgument(parameter, message), message.getHeaders());
	}

}
