package io.delayqueue.listener;

import java.lang.reflect.Method;
import java.util.Set;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Rejects listeners on beans that are not singletons, even before an instance exists: a
 * second instance would be a second listener for the queue, and without an instance the
 * queue would have no listener.
 */
final class NonSingletonListeners {

	private static final Log logger = LogFactory.getLog(NonSingletonListeners.class);

	private final ConfigurableListableBeanFactory beanFactory;

	NonSingletonListeners(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/** Rejects listeners of all bean definitions. */
	void reject(Faults faults) {
		for (String name : this.beanFactory.getBeanDefinitionNames()) {
			Class<?> type = (scope(name) != null) ? type(name) : null;
			if (type != null) {
				reject(name, type, ListenerMethods.of(type).keySet(), faults);
			}
		}
	}

	/**
	 * Rejects the listeners of one bean.
	 * @return {@code true} if the bean is not a singleton
	 */
	boolean reject(ListenerBean bean, Faults faults) {
		return reject(bean.name(), bean.type(), bean.methods().keySet(), faults);
	}

	private boolean reject(String name, Class<?> type, Set<Method> methods, Faults faults) {
		String scope = scope(name);
		if (scope == null) {
			return false;
		}
		String shown = ScopedProxyUtils.isScopedTarget(name) ? ScopedProxyUtils.getOriginalBeanName(name) : name;
		methods.forEach((method) -> faults.of(shown, ListenerMethods.describe(type, method))
			.method("belongs to a bean of scope '" + scope + "', of which there is not exactly one instance",
					"Make the bean a singleton, and obtain beans of other scopes from an ObjectProvider"));
		return true;
	}

	/** The scope, null if the bean is a singleton or has no definition of its own. */
	private @Nullable String scope(String name) {
		if (!this.beanFactory.containsBeanDefinition(name)) {
			return null;
		}
		BeanDefinition definition = this.beanFactory.getMergedBeanDefinition(name);
		return (definition.isSingleton() || definition.isAbstract()) ? null : definition.getScope();
	}

	private @Nullable Class<?> type(String name) {
		try {
			return AutoProxyUtils.determineTargetClass(this.beanFactory, name);
		}
		catch (RuntimeException | LinkageError ex) {
			// A class that cannot be loaded must not fail the start if the bean is unused
			logger.debug("The class of bean '" + name + "' is unknown; it is not searched for listeners", ex);
			return null;
		}
	}

}
