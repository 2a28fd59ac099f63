package io.delayqueue.listener;

import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.support.PayloadMethodArgumentResolver;
import org.springframework.validation.Validator;

/**
 * Resolves payloads, and validates them if the parameter requires it. Unlike its
 * superclass it converts every payload, even for parameters that could receive the bytes
 * ({@code byte[]}, {@code Object}): a payload is read by the converter that wrote it.
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
