package io.delayqueue.listener;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.delayqueue.DelayedListener;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.Ordered;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;
import org.springframework.util.ObjectUtils;

/**
 * Finds the methods annotated with {@link DelayedListener} on all beans. Thread-safe.
 *
 * <p>
 * Until all singletons exist, the post-processor only records the methods and looks up no
 * other bean. Then it creates the beans with listeners that would otherwise be created on
 * demand: beans that are initialized lazily, and products of a {@code FactoryBean}. After
 * that it registers all recorded methods, each with its bean as Spring exposes it,
 * including all proxies of the bean. The listeners of a bean that is created later are
 * registered at the creation of the bean, and started if the registry has been started.
 * Listeners on beans that are not singletons are rejected. If a bean is removed from its
 * context, its listeners stop, and their queues can have other listeners.
 *
 * <p>
 * Each context needs a post-processor of its own. If the registry belongs to a parent
 * context, the listeners of this context start and stop with this context. Listeners of a
 * child context without a post-processor are rejected.
 */
public final class DelayedListenerAnnotationBeanPostProcessor
		implements DestructionAwareBeanPostProcessor, Ordered, BeanFactoryAware, SmartInitializingSingleton,
		SmartLifecycle, ApplicationListener<ContextRefreshedEvent>, AopInfrastructureBean {

	private final Supplier<List<String>> packages;

	private final Set<Class<?>> withoutListeners = ConcurrentHashMap.newKeySet();

	private @Nullable EndpointRegistrar registrar;

	private volatile boolean running;

	/** Creates a post-processor. */
	public DelayedListenerAnnotationBeanPostProcessor() {
		this(List::of);
	}

	/**
	 * Creates a post-processor for an application whose packages are known.
	 * @param packages supplies the packages. A lazy bean that code of these packages
	 * declares with an interface or an abstract class of these packages as its type is
	 * created at the start, because its class may have listeners
	 */
	public DelayedListenerAnnotationBeanPostProcessor(Supplier<List<String>> packages) {
		this.packages = packages;
	}

	/**
	 * Whether a class has listeners. A bean with listeners must not be initialized
	 * lazily: no other bean depends on it, so it would never be created.
	 * @param type the class
	 * @return {@code true} if it has at least one annotated method
	 */
	public static boolean hasListeners(Class<?> type) {
		return ListenerBean.isOne(type);
	}

	@Override
	public int getOrder() {
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		Assert.isInstanceOf(ConfigurableListableBeanFactory.class, beanFactory);
		this.registrar = new EndpointRegistrar((ConfigurableListableBeanFactory) beanFactory, this.packages);
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
			ListenerBean found = ListenerBean.of(beanName, bean, type);
			if (found.isEmpty()) {
				this.withoutListeners.add(type);
			}
			else {
				registrar().add(found);
			}
		}
		return bean;
	}

	@Override
	public boolean requiresDestruction(Object bean) {
		Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
		return !(bean instanceof AopInfrastructureBean) && !this.withoutListeners.contains(type)
				&& ListenerBean.isOne(type);
	}

	/**
	 * Stops the listeners of a bean that is removed, and waits until they have stopped.
	 */
	@Override
	public void postProcessBeforeDestruction(Object bean, String beanName) {
		registrar().remove(beanName);
	}

	/** Registers the listeners of an object that is no bean. */
	void register(Object listener) {
		ListenerBean found = ListenerBean.of(nameOf(listener), listener, AopProxyUtils.ultimateTargetClass(listener));
		Assert.isTrue(!found.isEmpty(), () -> found.type().getName() + " has no method with @DelayedListener");
		registrar().add(found);
	}

	/** Removes the listeners of an object that is no bean. */
	void unregister(Object listener) {
		registrar().remove(nameOf(listener));
	}

	private static String nameOf(Object listener) {
		return ClassUtils.getUserClass(listener).getName() + "@" + ObjectUtils.getIdentityHexString(listener);
	}

	/**
	 * Registers the listeners of all singletons.
	 * @throws DelayedListenerDefinitionException with all faults of all listeners
	 */
	@Override
	public void afterSingletonsInstantiated() {
		registrar().registerAll(this.withoutListeners);
		this.withoutListeners.clear();
	}

	/**
	 * Rejects listeners of a child context that has no post-processor.
	 * @throws DelayedListenerDefinitionException if there are such listeners
	 */
	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		ApplicationContext context = event.getApplicationContext();
		if (context.getBeanNamesForType(DelayedListenerAnnotationBeanPostProcessor.class, true, false).length == 0) {
			EndpointRegistrar.rejectAll(context);
		}
	}

	/** Starts the listeners of this context if the registry is in a parent context. */
	@Override
	public void start() {
		this.running = true;
		registrar().start();
	}

	/** Stops the listeners of this context if the registry is in a parent context. */
	@Override
	public void stop() {
		this.running = false;
		registrar().stop();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return DelayedListenerRegistry.PHASE;
	}

	private EndpointRegistrar registrar() {
		EndpointRegistrar registrar = this.registrar;
		Assert.state(registrar != null, "A BeanFactory is required to register listeners");
		return registrar;
	}

}
