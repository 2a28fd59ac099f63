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
 * Refuses listeners on beans that are not singletons, also before there is an instance of
 * them: a second instance would be a second listener for the queue, and one that is never
 * created would be a queue that nobody handles.
 */
final class NonSingletonListeners {

	private static final Log logger = LogFactory.getLog(NonSingletonListeners.class);

	private final ConfigurableListableBeanFactory beanFactory;

	NonSingletonListeners(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/** Looks at all definitions. */
	void refuse(Faults faults) {
		for (String name : this.beanFactory.getBeanDefinitionNames()) {
			Class<?> type = (scope(name) != null) ? type(name) : null;
			if (type != null) {
				refuse(name, type, ListenerMethods.of(type).keySet(), faults);
			}
		}
	}

	/**
	 * Looks at one bean.
	 * @return whether it is refused
	 */
	boolean refuse(ListenerBean bean, Faults faults) {
		return refuse(bean.name(), bean.type(), bean.methods().keySet(), faults);
	}

	private boolean refuse(String name, Class<?> type, Set<Method> methods, Faults faults) {
		String scope = scope(name);
		if (scope == null) {
			return false;
		}
		String shown = ScopedProxyUtils.isScopedTarget(name) ? ScopedProxyUtils.getOriginalBeanName(name) : name;
		methods.forEach((method) -> faults.of(shown, ListenerMethods.describe(type, method))
			.method("belongs to a bean of scope '" + scope + "', of which there is not exactly one instance",
					"Make the bean a singleton, and take what has another scope from an ObjectProvider"));
		return true;
	}

	/** The scope, or null if the bean is a singleton or not defined by itself. */
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
			// A class that cannot be loaded is no reason to fail before somebody wants it
			logger.debug("The class of bean '" + name + "' is unknown; it is not looked at for listeners", ex);
			return null;
		}
	}

}
