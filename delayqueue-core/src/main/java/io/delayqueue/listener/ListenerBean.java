package io.delayqueue.listener;

import java.lang.reflect.Method;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

import io.delayqueue.DelayedListener;

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

}
