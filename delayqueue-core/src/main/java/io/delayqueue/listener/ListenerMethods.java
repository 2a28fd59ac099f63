package io.delayqueue.listener;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

import io.delayqueue.DelayedListener;

import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Finds annotated methods: of any visibility, declared, inherited or of an interface,
 * annotated with {@link DelayedListener} or with an annotation that is composed of it.
 */
final class ListenerMethods {

	private ListenerMethods() {
	}

	/**
	 * Finds the methods of a class.
	 * @return the most specific methods with their merged annotations; empty if there are
	 * none
	 */
	static Map<Method, DelayedListener> of(Class<?> type) {
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
