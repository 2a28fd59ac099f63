package io.delayqueue.listener;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

import io.delayqueue.DelayedMessage;
import io.delayqueue.PayloadConverter;
import io.delayqueue.delivery.Delivery;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.convert.ConversionService;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.messaging.Message;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.support.HeaderMethodArgumentResolver;
import org.springframework.messaging.handler.annotation.support.HeadersMethodArgumentResolver;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolverComposite;
import org.springframework.messaging.support.GenericMessage;
import org.springframework.messaging.support.MessageBuilder;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.ValidationAnnotationUtils;

/**
 * Resolves the arguments of all listeners: Spring's resolvers resolve headers, and the
 * resolvers of this package resolve parameters that contain a payload, and a map of all
 * headers as text. A parameter that no other resolver supports is the payload.
 * Thread-safe.
 */
final class ListenerArguments {

	private final HandlerMethodArgumentResolverComposite special = new HandlerMethodArgumentResolverComposite();

	private final PayloadArgumentResolver payloads;

	private final boolean validates;

	/**
	 * Looks up the application's payload converter, its validator if there is a single
	 * one, and the conversion service of its bean factory. Must not be called before the
	 * application's singletons exist.
	 */
	ListenerArguments(ConfigurableListableBeanFactory beanFactory) {
		Validator validator = beanFactory.getBeanProvider(Validator.class).getIfUnique();
		this.validates = validator != null;
		this.payloads = new PayloadArgumentResolver(beanFactory.getBean(PayloadConverter.class), validator);
		ConversionService conversion = beanFactory.getConversionService();
		this.special
			.addResolver(new HeaderMethodArgumentResolver(
					(conversion != null) ? conversion : new DefaultFormattingConversionService(), beanFactory))
			.addResolver(new TextHeadersArgumentResolver())
			.addResolver(new HeadersMethodArgumentResolver())
			.addResolver(new MessageArgumentResolver(this.payloads));
	}

	@Nullable Object resolve(MethodParameter parameter, Message<?> message) throws Exception {
		return isPayload(parameter) ? this.payloads.resolveArgument(parameter, message)
				: this.special.resolveArgument(parameter, message);
	}

	boolean isPayload(MethodParameter parameter) {
		return !this.special.supportsParameter(parameter);
	}

	/**
	 * Describes why a payload, written by the converter, cannot become a parameter.
	 * @return the problem, {@code null} if the parameter can be read or takes no payload
	 */
	@Nullable String problemOf(Object payload, MethodParameter parameter) {
		if (!isPayload(parameter) && !MessageArgumentResolver.isMessage(parameter)) {
			return null;
		}
		try {
			this.payloads.readWritten(payload, parameter);
			return null;
		}
		catch (MessageConversionException unreadable) {
			return unreadable.getMessage();
		}
		catch (RuntimeException unwritable) {
			return "the converter cannot write it: " + unwritable.getClass().getName();
		}
	}

	/** Whether the parameter requires validation although there is no validator. */
	boolean lacksValidator(MethodParameter parameter) {
		return !this.validates && !parameter.hasParameterAnnotation(Header.class)
				&& Arrays.stream(parameter.getParameterAnnotations())
					.anyMatch((annotation) -> ValidationAnnotationUtils.determineValidationHints(annotation) != null);
	}

	/**
	 * Resolves {@code @Headers Map<String, String>} to all headers as text. Spring's
	 * resolver would also put the values of {@link DelayQueueHeaders} into the map as
	 * {@code Instant} and {@code Integer}.
	 */
	private static final class TextHeadersArgumentResolver implements HandlerMethodArgumentResolver {

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

	/**
	 * Resolves {@link DelayedMessage} and Spring's {@link Message} with all headers. The
	 * payload is converted once, before the handler is called, so a message that cannot
	 * be converted never reaches the handler.
	 */
	private record MessageArgumentResolver(PayloadArgumentResolver payloads) implements HandlerMethodArgumentResolver {

		static boolean isMessage(MethodParameter parameter) {
			Class<?> type = PayloadTypes.classOf(parameter);
			return type == DelayedMessage.class || type == Message.class || type == GenericMessage.class;
		}

		@Override
		public boolean supportsParameter(MethodParameter parameter) {
			return isMessage(parameter);
		}

		@Override
		public Object resolveArgument(MethodParameter parameter, Message<?> message) {
			Object payload = this.payloads.resolveArgument(parameter, message);
			return (PayloadTypes.classOf(parameter) == DelayedMessage.class)
					? new ReceivedMessage<>((Delivery) message.getPayload(), payload)
					: MessageBuilder.createMessage(payload, message.getHeaders());
		}

	}

}
