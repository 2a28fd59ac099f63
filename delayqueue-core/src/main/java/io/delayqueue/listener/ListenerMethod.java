package io.delayqueue.listener;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

import io.delayqueue.UnreadableMessageException;
import io.delayqueue.delivery.BatchHandler;
import io.delayqueue.delivery.Delivery;
import io.delayqueue.delivery.MessageHandler;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodParameter;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessagingException;
import org.springframework.messaging.handler.HandlerMethod;
import org.springframework.messaging.handler.annotation.support.MethodArgumentNotValidException;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.validation.BindingResult;
import org.springframework.validation.FieldError;
import org.springframework.validation.ObjectError;

/**
 * An annotated method, with its bean. Unlike Spring's {@code InvocableHandlerMethod}, it
 * resolves the arguments and calls the method in two steps: an unreadable message and a
 * failed handler are distinguished by the step that throws, and not by the type of the
 * exception. The parameters are those of the method in the bean's class, because the same
 * method of an interface may lack their annotations; the call goes through the bean's
 * proxy.
 */
final class ListenerMethod extends HandlerMethod implements MessageHandler, BatchHandler {

	private final String beanName;

	private final Class<?> targetClass;

	private final Method invocable;

	private final ListenerArguments arguments;

	/**
	 * Creates the method.
	 * @param bean the bean
	 * @param method the annotated method, as the bean's class declares it
	 * @param arguments resolves the arguments
	 * @param faults receives a fault if the method cannot be called
	 */
	ListenerMethod(ListenerBean bean, Method method, ListenerArguments arguments, Faults.OfMethod faults) {
		super(bean.bean(), method);
		this.beanName = bean.name();
		this.targetClass = bean.type();
		this.invocable = BridgeMethodResolver.findBridgedMethod(invocable(bean, method, faults));
		this.arguments = arguments;
		ReflectionUtils.makeAccessible(this.invocable);
		for (MethodParameter parameter : getMethodParameters()) {
			parameter.initParameterNameDiscovery(DefaultParameterNameDiscoverer.getSharedInstance());
		}
	}

	/**
	 * Selects the method to call on the bean, so that the call goes through the bean's
	 * proxy. Returns the annotated method if there is a fault.
	 */
	private static Method invocable(ListenerBean bean, Method method, Faults.OfMethod faults) {
		if (Modifier.isFinal(method.getModifiers()) && AopUtils.isCglibProxy(bean.bean())) {
			faults.method("is final, so the bean's proxy cannot pass the call on to the bean", "Make it non-final");
			return method;
		}
		try {
			return AopUtils.selectInvocableMethod(method, bean.bean().getClass());
		}
		catch (IllegalStateException ex) {
			Optional<Method> generic = ofGenericInterface(bean, method);
			if (generic.isEmpty()) {
				faults.method("cannot be called. " + ex.getMessage(),
						Modifier.isPrivate(method.getModifiers()) ? "Make it package-private, protected or public"
								: "Declare it in an interface that the proxy has, "
										+ "or proxy the class (spring.aop.proxy-target-class=true)");
			}
			return generic.orElse(method);
		}
	}

	/**
	 * Finds the interface method that the given method implements, if the parameter types
	 * of the interface method are type variables. Spring does not find such a method,
	 * because Spring compares parameter types.
	 */
	private static Optional<Method> ofGenericInterface(ListenerBean bean, Method method) {
		return Arrays.stream(bean.bean().getClass().getInterfaces())
			.flatMap((type) -> Arrays.stream(type.getMethods()))
			.filter((candidate) -> candidate.getName().equals(method.getName()))
			.filter((candidate) -> BridgeMethodResolver
				.findBridgedMethod(ClassUtils.getMostSpecificMethod(candidate, bean.type()))
				.equals(method))
			.findFirst();
	}

	@Override
	protected Class<?> getContainingClass() {
		return this.targetClass;
	}

	String getBeanName() {
		return this.beanName;
	}

	Class<?> getTargetClass() {
		return this.targetClass;
	}

	Class<?> getReturnedClass() {
		return GenericTypeResolver.resolveReturnType(getBridgedMethod(), this.targetClass);
	}

	/** Resolves the arguments and calls the method. */
	@Override
	public @Nullable CompletionStage<?> handle(Delivery delivery) throws Throwable {
		DeliveryMessage message = new DeliveryMessage(delivery);
		MethodParameter[] parameters = getMethodParameters();
		@Nullable Object[] resolved = new Object[parameters.length];
		for (int i = 0; i < parameters.length; i++) {
			resolved[i] = resolve(parameters[i], message);
		}
		return call(resolved);
	}

	/** Converts a message to an element of the list that a batch listener receives. */
	@Override
	public Object read(Delivery delivery) {
		Object element = resolve(getMethodParameters()[0].nested(), new DeliveryMessage(delivery));
		Assert.state(element != null, "A payload was resolved to null: this indicates a bug");
		return element;
	}

	/** Calls the method with the elements of a batch. */
	@Override
	public @Nullable CompletionStage<?> handle(List<Object> batch) throws Throwable {
		return call(Collections.unmodifiableList(batch));
	}

	private @Nullable Object resolve(MethodParameter parameter, Message<?> message) {
		int index = parameter.getParameterIndex();
		try {
			return this.arguments.resolve(parameter, message);
		}
		catch (MethodArgumentNotValidException ex) {
			// Do not pass Spring's exception on as the cause, because its message
			// contains rejected values
			String violations = violations(ex);
			throw unreadable(index, violations, new IllegalArgumentException(violations));
		}
		catch (MessagingException ex) {
			// PayloadArgumentResolver throws this exception, and so does Spring if a
			// header is missing
			throw unreadable(index, String.valueOf(ex.getMessage()), ex);
		}
		catch (Exception ex) {
			throw unreadable(index,
					ex.getClass().getName() + " for a " + parameter.getNestedGenericParameterType().getTypeName(), ex);
		}
	}

	/** Calls the method; an exception of the method is thrown without a wrapper. */
	private @Nullable CompletionStage<?> call(@Nullable Object... resolved) throws Throwable {
		Object returned;
		try {
			returned = this.invocable.invoke(getBean(), resolved);
		}
		catch (InvocationTargetException ex) {
			throw ex.getTargetException();
		}
		if (returned instanceof CompletionStage<?> stage) {
			return stage;
		}
		// A method with the return type Object may return a type that is not awaited
		if (returned != null && ReturnTypes.isDeferred(returned.getClass())) {
			throw new IllegalStateException(this + " returned a " + returned.getClass().getName()
					+ ", which is not awaited; return a CompletionStage");
		}
		return null;
	}

	/**
	 * The reason must not contain values of the message, because it is logged and stored
	 * with the dead letter.
	 */
	private UnreadableMessageException unreadable(int index, String reason, Exception cause) {
		String line = reason.lines().map(String::strip).collect(Collectors.joining(" "));
		return new UnreadableMessageException("Argument " + index + " of " + this + ": " + line, cause);
	}

	private static String violations(MethodArgumentNotValidException failure) {
		BindingResult result = failure.getBindingResult();
		return "the payload is not valid: " + ((result != null)
				? result.getAllErrors().stream().map(ListenerMethod::violation).collect(Collectors.joining("; ")) : "");
	}

	private static String violation(ObjectError error) {
		String where = (error instanceof FieldError field) ? field.getField() : error.getObjectName();
		return where + " " + ((error.getDefaultMessage() != null) ? error.getDefaultMessage() : error.getCode());
	}

	/** The class, the method and the types of its parameters, for log lines. */
	@Override
	public String toString() {
		return ListenerBean.describe(this.targetClass, getMethod());
	}

}
