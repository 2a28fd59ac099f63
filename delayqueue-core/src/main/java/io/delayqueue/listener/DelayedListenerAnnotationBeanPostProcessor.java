package io.delayqueue.listener;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.DelayedListener;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.util.Assert;

/**
 * Finds the methods annotated with {@link DelayedListener} on all beans. Thread-safe.
 *
 * <p>
 * Until all singletons exist, the post-processor only records the methods and looks up no
 * other bean. Then it registers all recorded methods, each with its bean as Spring
 * exposes it, including all proxies of the bean. The listeners of a bean that is created
 * later ({@code @Lazy}) are registered at the creation of the bean, and started if the
 * registry has been started. Listeners on beans that are not singletons are rejected.
 */
public final class DelayedListenerAnnotationBeanPostProcessor
		implements BeanPostProcessor, Ordered, BeanFactoryAware, SmartInitializingSingleton, AopInfrastructureBean {

	private final Set<Class<?>> withoutListeners = ConcurrentHashMap.newKeySet();

	private @Nullable EndpointRegistrar registrar;

	/**
	 * Whether a class has listeners. A bean with listeners must not be initialized
	 * lazily: no other bean depends on it, so it would never be created.
	 * @param type the class
	 * @return {@code true} if it has at least one annotated method
	 */
	public static boolean hasListeners(Class<?> type) {
		return !ListenerBean.methodsOf(type).isEmpty();
	}

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		Assert.isInstanceOf(ConfigurableListableBeanFactory.class, beanFactory);
		this.registrar = new EndpointRegistrar((ConfigurableListableBeanFactory) beanFactory);
	}

	/**
	 * Records the listeners of the bean, or registers them if all singletons exist
	 * already.
	 * @throws DelayedListenerDefinitionException if listeners that are registered now
	 * have faults
	 */
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof AopInfrastructureBean) {
			return bean;
		}
		Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
		if (!this.withoutListeners.contains(type)) {
			Map<Method, DelayedListener> methods = ListenerBean.methodsOf(type);
			if (methods.isEmpty()) {
				this.withoutListeners.add(type);
			}
			else {
				registrar().add(new ListenerBean(beanName, bean, type, methods));
			}
		}
		return bean;
	}

	/**
	 * Registers the listeners of all singletons.
	 * @throws DelayedListenerDefinitionException with all faults of all listeners
	 */
	@Override
	public void afterSingletonsInstantiated() {
		this.withoutListeners.clear();
		registrar().registerAll();
	}

	private EndpointRegistrar registrar() {
		EndpointRegistrar registrar = this.registrar;
		Assert.state(registrar != null, "A BeanFactory is required to register listeners");
		return registrar;
	}

}
