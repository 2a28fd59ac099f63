package io.delayqueue.listener;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.springframework.aop.framework.Advised;
import org.springframework.core.MethodParameter;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.scheduling.annotation.AsyncAnnotationAdvisor;
import org.springframework.util.StringUtils;

/**
 * Checks the signatures of listener methods.
 */
final class SignatureRules {

	private static final String AWAITED = "Return nothing, or a CompletionStage that completes when the message is handled";

	private final ListenerArguments arguments;

	SignatureRules(ListenerArguments arguments) {
		this.arguments = arguments;
	}

	void check(ListenerMethod method, Faults.OfMethod faults) {
		if (Modifier.isStatic(method.getMethod().getModifiers())) {
			faults.method("is static", "Make it a method of the bean's instance");
		}
		if (isSuspending(method)) {
			faults.method("is a suspend function, whose completion is not awaited",
					"Make it a plain function that blocks (runBlocking) or returns a CompletableFuture");
			return;
		}
		checkParameters(method.getMethodParameters(), faults);
		Class<?> returned = method.getReturnedClass();
		if (ReturnTypes.isDeferred(returned)) {
			faults.method("returns " + returned.getName() + ", which is not awaited", AWAITED);
		}
		else if (!ReturnTypes.isAwaited(returned) && isAsync(method)) {
			faults.method("is @Async but returns " + returned.getName()
					+ ": its messages would be acknowledged before they are handled", AWAITED);
		}
	}

	private void checkParameters(MethodParameter[] parameters, Faults.OfMethod faults) {
		List<String> payloads = Stream.of(parameters)
			.filter(this.arguments::isPayload)
			.map((parameter) -> parameter.getParameterType().getSimpleName())
			.toList();
		if (payloads.size() > 1) {
			faults.method("takes more than one payload: " + String.join(", ", payloads),
					"Keep one of them, and annotate parameters for headers with @Header");
		}
		for (MethodParameter parameter : parameters) {
			Payload payload = parameter.getParameterAnnotation(Payload.class);
			if (payload != null && StringUtils.hasText(payload.expression())) {
				faults.method("has a @Payload with an expression, which is not supported",
						"Take the whole payload, and read the needed parts from it");
			}
			Header header = parameter.getParameterAnnotation(Header.class);
			if (header != null && header.name().isEmpty() && parameter.getParameterName() == null) {
				faults.method("has a @Header without a name on parameter " + parameter.getParameterIndex(),
						"Name the header, or compile with -parameters");
			}
		}
	}

	private static boolean isSuspending(ListenerMethod method) {
		Class<?>[] types = method.getMethod().getParameterTypes();
		return types.length > 0 && types[types.length - 1].getName().equals("kotlin.coroutines.Continuation");
	}

	/**
	 * Whether the bean's proxy runs the method on another thread. The annotation alone
	 * has no effect.
	 */
	private static boolean isAsync(ListenerMethod method) {
		return method.getBean() instanceof Advised proxy && Arrays.stream(proxy.getAdvisors())
			.anyMatch((advisor) -> advisor instanceof AsyncAnnotationAdvisor async
					&& async.getPointcut().getMethodMatcher().matches(method.getMethod(), method.getTargetClass()));
	}

}
