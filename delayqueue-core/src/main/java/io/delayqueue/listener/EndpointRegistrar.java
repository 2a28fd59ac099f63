package io.delayqueue.listener;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import io.delayqueue.RecurringSchedule;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodParameter;

/**
 * Collects beans with listeners until all singletons exist, and then registers all their
 * listeners together, or none if one method is invalid. Each annotated method gets a
 * container, except methods that handle expired messages. After that the registrar
 * registers each bean at its creation. Looks up other beans only if there are methods to
 * register. Thread-safe.
 */
final class EndpointRegistrar {

	private static final Log logger = LogFactory.getLog(EndpointRegistrar.class);

	private final ConfigurableListableBeanFactory beanFactory;

	private final EndpointReader reader;

	private final RecurringReader recurring;

	private final DelayedListenerContainerFactory containers;

	/**
	 * The lock for this list and {@link #registering}; the registrar looks up no bean
	 * while it holds the lock.
	 */
	private final List<ListenerBean> found = new ArrayList<>();

	private boolean registering;

	EndpointRegistrar(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		this.reader = new EndpointReader(beanFactory);
		this.recurring = new RecurringReader(beanFactory);
		this.containers = new DelayedListenerContainerFactory(beanFactory);
	}

	void add(ListenerBean bean) {
		synchronized (this.found) {
			if (!this.registering) {
				this.found.add(bean);
				return;
			}
		}
		register(List.of(bean), new Faults());
	}

	void registerAll() {
		List<ListenerBean> beans;
		synchronized (this.found) {
			this.registering = true;
			beans = List.copyOf(this.found);
			this.found.clear();
		}
		Faults faults = new Faults();
		rejectDefinitionsOfOtherScopes(faults);
		register(beans.stream().map(this::asExposed).toList(), faults);
	}

	/** Other post-processors may have wrapped the bean in a proxy after it was found. */
	private ListenerBean asExposed(ListenerBean found) {
		String name = found.name();
		if (found.bean() instanceof FactoryBean || !this.beanFactory.containsSingleton(name)) {
			return found;
		}
		Object exposed = this.beanFactory.getBean(name);
		return (AopProxyUtils.ultimateTargetClass(exposed) == found.type())
				? new ListenerBean(name, exposed, found.type(), found.methods()) : found;
	}

	/**
	 * Registers all listeners of these beans.
	 * @param found the beans
	 * @param faults the faults that were found before
	 * @throws DelayedListenerDefinitionException if there are faults; then nothing is
	 * registered
	 */
	private void register(List<ListenerBean> found, Faults faults) {
		List<ListenerBean> beans = found.stream()
			.filter((bean) -> isSingleton(bean.name(), bean.type(), bean.methods().keySet(), faults))
			.toList();
		if (beans.isEmpty()) {
			faults.throwIfAny();
			return;
		}
		ListenerArguments arguments = new ListenerArguments(this.beanFactory);
		List<String> claimed = new ArrayList<>();
		List<DelayedListenerEndpoint> endpoints = this.reader.read(beans, arguments, faults, claimed);
		List<RecurringSchedule> declared = this.recurring.read(beans, faults);
		try {
			faults.throwIfAny();
			List<DelayedListenerContainer> created = endpoints.stream()
				.map((endpoint) -> this.containers.create(endpoint, faults))
				.toList();
			faults.throwIfAny();
			endpoints.forEach((endpoint) -> logRemarks(endpoint, arguments));
			DelayedListenerRegistry registry = this.beanFactory.getBean(DelayedListenerRegistry.class);
			registry.declare(declared);
			created.forEach(registry::add);
		}
		catch (RuntimeException ex) {
			this.reader.release(claimed);
			this.recurring.release(declared);
			throw ex;
		}
	}

	/**
	 * Rejects the listeners of all bean definitions that are not singletons, even if no
	 * instance exists yet: otherwise the application would start without a listener for
	 * the queue.
	 */
	private void rejectDefinitionsOfOtherScopes(Faults faults) {
		for (String name : this.beanFactory.getBeanDefinitionNames()) {
			Class<?> type = (otherScope(name) != null) ? type(name) : null;
			if (type != null) {
				isSingleton(name, type, ListenerBean.methodsOf(type).keySet(), faults);
			}
		}
	}

	/** A second instance of the bean would be a second listener for the queue. */
	private boolean isSingleton(String name, Class<?> type, Set<Method> methods, Faults faults) {
		String scope = otherScope(name);
		if (scope == null) {
			return true;
		}
		String shown = ScopedProxyUtils.isScopedTarget(name) ? ScopedProxyUtils.getOriginalBeanName(name) : name;
		methods.forEach((method) -> faults.of(shown, ListenerBean.describe(type, method))
			.method("belongs to a bean of scope '" + scope + "', which may have several instances or none",
					"Make the bean a singleton, and obtain beans of other scopes from an ObjectProvider"));
		return false;
	}

	/** The scope, null if the bean is a singleton or has no definition of its own. */
	private @Nullable String otherScope(String name) {
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

	/**
	 * Logs a return value that is ignored and payloads that are not validated: both are
	 * allowed, but may not be intended.
	 */
	private static void logRemarks(DelayedListenerEndpoint endpoint, ListenerArguments arguments) {
		ListenerMethod method = endpoint.method();
		logger.debug("Listener '" + endpoint.id() + "' of queue '" + endpoint.queue().name() + "' is " + method);
		if (ReturnTypes.isIgnored(method.getReturnedClass())) {
			logger.info("The return value of " + method
					+ " is ignored: only an exception or a CompletionStage determines the outcome");
		}
		for (MethodParameter parameter : method.getMethodParameters()) {
			if (arguments.lacksValidator(parameter)) {
				logger.warn("Payloads for " + method + " are not validated: there is no single Validator bean");
			}
		}
		if (endpoint.expired() != null) {
			logRemarks(endpoint.expired(), arguments);
		}
	}

}
