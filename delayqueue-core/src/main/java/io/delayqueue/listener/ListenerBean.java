package io.delayqueue.listener;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.delayqueue.DelayedListener;
import io.delayqueue.Recurring;

import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils.MethodFilter;

/**
 * A bean with annotated methods.
 *
 * @param name the bean's name
 * @param bean the bean, possibly a proxy
 * @param type the class behind all proxies
 * @param methods the listener methods of that class
 * @param withoutListener the methods that declare a recurring schedule but are no
 * listener methods
 */
record ListenerBean(String name, Object bean, Class<?> type, Map<Method, DelayedListener> methods,
		Set<Method> withoutListener) {

	ListenerBean {
		methods = Collections.unmodifiableMap(new LinkedHashMap<>(methods));
		withoutListener = Set.copyOf(withoutListener);
	}

	static ListenerBean of(String name, Object bean, Class<?> type) {
		Map<Method, DelayedListener> methods = methodsOf(type);
		return new ListenerBean(name, bean, type, methods, withoutListener(type, methods.keySet()));
	}

	/** Whether a class has listener methods, or methods that should be such. */
	static boolean isOne(Class<?> type) {
		return !methodsOf(type).isEmpty() || !withoutListener(type, Set.of()).isEmpty();
	}

	boolean isEmpty() {
		return this.methods.isEmpty() && this.withoutListener.isEmpty();
	}

	private static Set<Method> withoutListener(Class<?> type, Set<Method> listeners) {
		if (!AnnotationUtils.isCandidateClass(type, Recurring.class)) {
			return Set.of();
		}
		return MethodIntrospector.selectMethods(type,
				(MethodFilter) (method) -> !listeners.contains(method) && !AnnotatedElementUtils
					.findMergedRepeatableAnnotations(method, Recurring.class, Recurring.Schedules.class)
					.isEmpty());
	}

	/**
	 * Finds the listener methods of a class, its superclasses and its interfaces, of any
	 * visibility: the methods with {@link DelayedListener}, or with an annotation that is
	 * itself annotated with it.
	 * @return the most specific methods with their merged annotations; empty if there are
	 * none
	 */
	static Map<Method, DelayedListener> methodsOf(Class<?> type) {
		if (!AnnotationUtils.isCandidateClass(type, DelayedListener.class)) {
			return Map.of();
		}
		return MethodIntrospector.selectMethods(type,
				(MetadataLookup<DelayedListener>) (method) -> AnnotatedElementUtils.findMergedAnnotation(method,
						DelayedListener.class));
	}

	/** Describes a method with the application's class, not with a generated subclass. */
	static String describe(Class<?> type, Method method) {
		return ClassUtils.getUserClass(type).getName() + "." + method.getName()
				+ Arrays.stream(method.getParameterTypes())
					.map(Class::getSimpleName)
					.collect(Collectors.joining(", ", "(", ")"));
	}

}
