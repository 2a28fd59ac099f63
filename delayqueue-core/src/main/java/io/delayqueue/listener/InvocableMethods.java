package io.delayqueue.listener;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Optional;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.util.ClassUtils;

/**
 * Selects the method to call on a bean, so that the call goes through the bean's proxy.
 */
final class InvocableMethods {

	private InvocableMethods() {
	}

	/**
	 * Selects the method.
	 * @param bean the bean
	 * @param method the annotated method of the bean's class
	 * @param faults receives a fault if no method can be called
	 * @return the method to call, or the annotated one if there is a fault
	 */
	static Method select(ListenerBean bean, Method method, Faults.OfMethod faults) {
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
	 * Finds the method of an interface whose parameter types are type variables: Spring
	 * does not find it, because it compares parameter types.
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

}
