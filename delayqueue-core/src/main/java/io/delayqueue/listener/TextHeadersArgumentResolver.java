package io.delayqueue.listener;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;

/**
 * Resolves {@code @Headers Map<String, String>}: all headers as text. The message's own
 * headers are text, so this is a natural type; without this resolver the map would
 * contain an {@code Instant} and {@code Integer} values for {@link DelayQueueHeaders}.
 */
final class TextHeadersArgumentResolver implements HandlerMethodArgumentResolver {

	@Override
	public boolean supportsParameter(MethodParameter parameter) {
		return parameter.hasParameterAnnotation(Headers.class) && parameter.getParameterType() == Map.class
				&& ResolvableType.forMethodParameter(parameter).getGeneric(1).resolve() == String.class;
	}

	@Override
	public Object resolveArgument(MethodParameter parameter, Message<?> message) {
		Map<String, String> headers = new HashMap<>();
		message.getHeaders().forEach((name, value) -> headers.put(name, value.toString()));
		return Collections.unmodifiableMap(headers);
	}

}
