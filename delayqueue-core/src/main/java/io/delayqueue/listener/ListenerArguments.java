package io.delayqueue.listener;

import java.util.Arrays;

import io.delayqueue.PayloadConverter;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodParameter;
import org.springframework.core.convert.ConversionService;
import org.springframework.format.support.DefaultFormattingConversionService;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.support.HeaderMethodArgumentResolver;
import org.springframework.messaging.handler.annotation.support.HeadersMethodArgumentResolver;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolverComposite;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.ValidationAnnotationUtils;

/**
 * Resolves the arguments of all listeners: headers with Spring's resolvers, parameters
 * with a payload with those of this package. A parameter that no other resolver supports
 * is the payload. Thread-safe.
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
		this.payloads = new PayloadArgumentResolver(
				new PayloadMessageConverter(beanFactory.getBean(PayloadConverter.class)), validator);
		ConversionService conversion = beanFactory.getConversionService();
		this.special
			.addResolver(new HeaderMethodArgumentResolver(
					(conversion != null) ? conversion : new DefaultFormattingConversionService(), beanFactory))
			.addResolver(new TextHeadersArgumentResolver())
			.addResolver(new HeadersMethodArgumentResolver())
			.addResolver(new DelayedMessageArgumentResolver(this.payloads))
			.addResolver(new SpringMessageArgumentResolver(this.payloads));
	}

	@Nullable Object resolve(MethodParameter parameter, Message<?> message) throws Exception {
		return isPayload(parameter) ? this.payloads.resolveArgument(parameter, message)
				: this.special.resolveArgument(parameter, message);
	}

	boolean isPayload(MethodParameter parameter) {
		return !this.special.supportsParameter(parameter);
	}

	/** Whether the parameter requires validation although there is no validator. */
	boolean lacksValidator(MethodParameter parameter) {
		return !this.validates && !parameter.hasParameterAnnotation(Header.class)
				&& Arrays.stream(parameter.getParameterAnnotations())
					.anyMatch((annotation) -> ValidationAnnotationUtils.determineValidationHints(annotation) != null);
	}

}
