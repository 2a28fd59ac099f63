package io.delayqueue.listener;

import java.lang.reflect.Type;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import io.delayqueue.PayloadConverter;
import io.delayqueue.delivery.Delivery;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.converter.SimpleMessageConverter;
import org.springframework.messaging.handler.annotation.support.PayloadMethodArgumentResolver;
import org.springframework.util.ClassUtils;
import org.springframework.validation.Validator;

/**
 * Converts payloads to the full generic type of a parameter, and validates them if the
 * parameter requires it. Unlike its superclass, this resolver converts every payload,
 * even for parameters that could receive the bytes ({@code byte[]}, {@code Object}): a
 * payload is read by the converter that wrote it. Thread-safe.
 */
final class PayloadArgumentResolver extends PayloadMethodArgumentResolver {

	private final PayloadConverter converter;

	private final Map<MethodParameter, Type> types = new ConcurrentHashMap<>();

	PayloadArgumentResolver(PayloadConverter converter, @Nullable Validator validator) {
		// The superclass only validates: its converter is not used
		super(new SimpleMessageConverter(), validator);
		this.converter = converter;
	}

	@Override
	public Object resolveArgument(MethodParameter parameter, Message<?> message) {
		Object payload = read(((Delivery) message.getPayload()).payload(),
				this.types.computeIfAbsent(parameter, PayloadTypes::of));
		validate(message, parameter, payload);
		return payload;
	}

	/** Reads a payload, as the converter writes it, for a parameter. */
	void readWritten(Object payload, MethodParameter parameter) {
		read(this.converter.write(payload), PayloadTypes.of(parameter));
	}

	private Object read(byte[] written, Type type) {
		Object payload;
		try {
			payload = this.converter.read(written, type);
		}
		catch (RuntimeException ex) {
			throw new MessageConversionException(
					"the payload cannot be read as " + type.getTypeName() + ": " + problem(ex), ex);
		}
		// A converter of the application may violate the contract of PayloadConverter
		if (payload == null || !ClassUtils.isAssignableValue(ResolvableType.forType(type).toClass(), payload)) {
			throw new MessageConversionException("the payload was read as " + ClassUtils.getDescriptiveType(payload)
					+ " and not as " + type.getTypeName());
		}
		return payload;
	}

	/**
	 * Describes a failed conversion by the class of the exception and, for an exception
	 * of Jackson, the location. The messages of converters are omitted, because they
	 * quote values, which may be confidential.
	 */
	private static String problem(Throwable failure) {
		JacksonException jackson = jackson(failure);
		String what = failure.getClass().getName();
		if (jackson == null) {
			return what;
		}
		if (jackson != failure) {
			what += " because of " + jackson.getClass().getName();
		}
		String path = jackson.getPath().stream().map(PayloadArgumentResolver::step).collect(Collectors.joining("->"));
		TokenStreamLocation location = jackson.getLocation();
		boolean known = location != null && location.getLineNr() > 0;
		return what + (path.isEmpty() ? "" : " at " + path)
				+ (known ? " (line " + location.getLineNr() + ", column " + location.getColumnNr() + ")" : "");
	}

	private static @Nullable JacksonException jackson(@Nullable Throwable failure) {
		if (failure == null || failure instanceof JacksonException) {
			return (JacksonException) failure;
		}
		return (failure.getCause() != failure) ? jackson(failure.getCause()) : null;
	}

	/** The keys of a map are hidden, because keys are data and not declared names. */
	private static String step(JacksonException.Reference step) {
		Object from = step.from();
		Class<?> type = (from instanceof Class<?> itself) ? itself : (from != null) ? from.getClass() : Object.class;
		String name = step.getPropertyName();
		String element = (name == null) ? String.valueOf(step.getIndex())
				: Map.class.isAssignableFrom(type) ? "*" : "\"" + name + "\"";
		return type.getSimpleName() + "[" + element + "]";
	}

}
