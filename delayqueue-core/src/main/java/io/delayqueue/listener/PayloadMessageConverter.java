package io.delayqueue.listener;

import java.lang.reflect.Type;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.PayloadConverter;
import io.delayqueue.delivery.Delivery;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.converter.SmartMessageConverter;
import org.springframework.util.ClassUtils;

/**
 * Converts the payload of a delivery to the full generic type of a parameter.
 * Thread-safe.
 */
final class PayloadMessageConverter implements SmartMessageConverter {

	private final PayloadConverter converter;

	private final Map<MethodParameter, Type> types = new ConcurrentHashMap<>();

	PayloadMessageConverter(PayloadConverter converter) {
		this.converter = converter;
	}

	/** Converts the payload to the type of a parameter. */
	Object read(Message<?> message, MethodParameter parameter) {
		return read(message, this.types.computeIfAbsent(parameter, PayloadTypes::of));
	}

	@Override
	public Object fromMessage(Message<?> message, Class<?> targetClass, @Nullable Object conversionHint) {
		return (conversionHint instanceof MethodParameter parameter) ? read(message, parameter)
				: read(message, targetClass);
	}

	@Override
	public Object fromMessage(Message<?> message, Class<?> targetClass) {
		return read(message, targetClass);
	}

	@Override
	public @Nullable Message<?> toMessage(Object payload, @Nullable MessageHeaders headers) {
		return null;
	}

	@Override
	public @Nullable Message<?> toMessage(Object payload, @Nullable MessageHeaders headers,
			@Nullable Object conversionHint) {
		return null;
	}

	private Object read(Message<?> message, Type type) {
		Object payload;
		try {
			payload = this.converter.read(((Delivery) message.getPayload()).payload(), type);
		}
		catch (RuntimeException ex) {
			throw new MessageConversionException(
					"the payload cannot be read as " + type.getTypeName() + ": " + ConversionProblem.describe(ex), ex);
		}
		// A converter of the application may violate the contract of PayloadConverter
		if (payload == null || !ClassUtils.isAssignableValue(ResolvableType.forType(type).toClass(), payload)) {
			throw new MessageConversionException("the payload was read as " + ClassUtils.getDescriptiveType(payload)
					+ " and not as " + type.getTypeName());
		}
		return payload;
	}

}
