package io.delayqueue.listener;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

import io.delayqueue.DelayedListener;

import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * A bean with annotated methods.
 *
 * @param name the bean's name
 * @param bean the bean, possibly a proxy
 * @param type the class behind all proxies
 * @param methods the annotated methods of that class
 */
record ListenerBean(String name, Object bean, Class<?> type, Map<Method, DelayedListener> methods) {

	ListenerBean {
		methods = Collections.unmodifiableMap(new LinkedHashMap<>(methods));
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
