package io.delayqueue.listener;

import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.support.PayloadMethodArgumentResolver;
import org.springframework.validation.Validator;

/**
 * Resolves payloads, and validates them where the parameter asks for it. Unlike its
 * parent it converts every payload, also for parameters that would take the bytes as they
 * are ({@code byte[]}, {@code Object}): what is read must be what was written.
 */
final class PayloadArgumentResolver extends PayloadMethodArgumentResolver {

	private final PayloadMessageConverter converter;

	PayloadArgumentResolver(PayloadMessageConverter converter, @Nullable Validator validator) {
		super(converter, validator);
		this.converter = converter;
	}

	@Override
	public Object resolveArgument(MethodParameter parameter, Message<?> message) {
		Object payload = this.converter.read(message, parameter);
		validate(message, parameter, payload);
		return payload;
	}

}
