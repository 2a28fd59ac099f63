package io.delayqueue.listener;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import io.delayqueue.RecurringSchedule;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.core.MethodParameter;
import org.springframework.util.ClassUtils;

/**
 * Collects beans with listeners until all singletons exist, and then registers all their
 * listeners together, or none if one method is invalid. Each annotated method gets a
 * container, except methods that handle expired messages. After that the registrar
 * registers each bean at its creation. Looks up other beans only if there are methods to
 * register. If the registry belongs to a parent context, it has the containers only while
 * this context runs. Thread-safe.
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

	private final Supplier<List<String>> packages;

	/**
	 * What this context adds to the registry of a parent context while it runs; the lock
	 * for this list and {@link #running}.
	 */
	private final List<Registration> ofChild = new ArrayList<>();

	private boolean running;

	/** The listeners that are registered, by the name of their bean. */
	private final Map<String, Registration> registered = new ConcurrentHashMap<>();

	EndpointRegistrar(ConfigurableListableBeanFactory beanFactory, Supplier<List<String>> packages) {
		this.beanFactory = beanFactory;
		this.packages = packages;
		this.reader = new EndpointReader(beanFactory);
		this.recurring = new RecurringReader(beanFactory);
		this.containers = new DelayedListenerContainerFactory(beanFactory);
	}

	/**
	 * The listeners of a bean, and the registry of this context or of a parent context.
	 */
	private record Registration(DelayedListenerRegistry registry, List<RecurringSchedule> declared,
			List<DelayedListenerContainer> containers) {

		void add() {
			this.registry.declare(this.declared);
			this.containers.forEach(this.registry::add);
		}

		void remove() {
			this.registry.remove(this.declared, this.containers);
		}

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

	/**
	 * Registers the listeners of all singletons.
	 * @param withoutListeners the classes that are known to have no listeners
	 */
	void registerAll(Set<Class<?>> withoutListeners) {
		createOnDemandBeans();
		findObjects(withoutListeners);
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

	/**
	 * Creates the beans with listeners that Spring creates only on demand.
	 */
	private void createOnDemandBeans() {
		for (String name : this.beanFactory.getBeanDefinitionNames()) {
			BeanDefinition definition = this.beanFactory.getMergedBeanDefinition(name);
			if (definition.isSingleton() && !definition.isAbstract() && !isScopedProxy(name)) {
				if (definition.isLazyInit()) {
					createIfListener(BeanFactory.FACTORY_BEAN_PREFIX + name, definition);
				}
				if (definition.isLazyInit() || this.beanFactory.isFactoryBean(name)) {
					createIfListener(name, definition);
				}
			}
		}
	}

	/**
	 * Finds the listeners of singletons that were registered as objects, such as mocks
	 * that replace a bean in a test: no post-processor sees them.
	 */
	private void findObjects(Set<Class<?>> withoutListeners) {
		for (String name : this.beanFactory.getSingletonNames()) {
			Object bean = this.beanFactory.getSingleton(name);
			Class<?> type = (bean != null) ? AopProxyUtils.ultimateTargetClass(bean) : null;
			if (bean != null && type != null && !withoutListeners.contains(type) && !isFound(name)) {
				ListenerBean found = ListenerBean.of(name, bean, type);
				if (!found.isEmpty()) {
					add(found);
				}
			}
		}
	}

	private boolean isFound(String name) {
		synchronized (this.found) {
			return this.found.stream().anyMatch((bean) -> bean.name().equals(name));
		}
	}

	private void createIfListener(String name, BeanDefinition definition) {
		Class<?> type = type(name, false);
		if (type != null && mayHaveListeners(type, definition) && this.beanFactory.isSingleton(name)) {
			this.beanFactory.getBean(name);
		}
	}

	/** The listeners of a scoped proxy are those of its target. */
	private boolean isScopedProxy(String name) {
		return this.beanFactory.containsBeanDefinition(ScopedProxyUtils.getTargetBeanName(name));
	}

	/**
	 * Whether a bean of this declared type has listeners, or may have some because the
	 * application declares an abstract type of its own.
	 */
	private boolean mayHaveListeners(Class<?> type, BeanDefinition definition) {
		return ListenerBean.isOne(type) || (Modifier.isAbstract(type.getModifiers())
				&& isOfTheApplication(type.getName()) && isOfTheApplication(declaring(definition)));
	}

	private @Nullable String declaring(BeanDefinition definition) {
		String factory = definition.getFactoryBeanName();
		Class<?> configuration = (factory != null) ? this.beanFactory.getType(factory) : null;
		return (configuration != null) ? configuration.getName() : definition.getBeanClassName();
	}

	private boolean isOfTheApplication(@Nullable String type) {
		return type != null
				&& this.packages.get().stream().anyMatch((own) -> own.isEmpty() || type.startsWith(own + "."));
	}

	/** Other post-processors may have wrapped the bean in a proxy after it was found. */
	private ListenerBean asExposed(ListenerBean found) {
		String name = found.name();
		if (found.bean() instanceof FactoryBean || !this.beanFactory.containsSingleton(name)) {
			return found;
		}
		Object exposed = this.beanFactory.getBean(name);
		return (AopProxyUtils.ultimateTargetClass(exposed) == found.type())
				? new ListenerBean(name, exposed, found.type(), found.methods(), found.withoutListener()) : found;
	}

	/**
	 * Registers all listeners of these beans.
	 * @param found the beans
	 * @param faults the faults that were found before
	 * @throws DelayedListenerDefinitionException if there are faults; then nothing is
	 * registered
	 */
	private void register(List<ListenerBean> found, Faults faults) {
		List<ListenerBean> beans = found.stream().filter((bean) -> isSingleton(bean, faults)).toList();
		if (beans.isEmpty()) {
			faults.throwIfAny();
			return;
		}
		beans.forEach((bean) -> rejectSchedulesWithoutListener(bean, faults));
		ListenerArguments arguments = new ListenerArguments(this.beanFactory);
		List<String> claimed = new ArrayList<>();
		List<DelayedListenerEndpoint> endpoints = this.reader.read(beans, arguments, faults, claimed);
		List<RecurringSchedule> declared = this.recurring.read(beans, faults);
		declared.forEach((schedule) -> endpoints.stream()
			.filter((endpoint) -> endpoint.queue().name().equals(schedule.queue()))
			.forEach((endpoint) -> rejectUnreadable(schedule, endpoint, arguments, faults)));
		try {
			faults.throwIfAny();
			Map<String, Registration> created = new LinkedHashMap<>();
			for (DelayedListenerEndpoint endpoint : endpoints) {
				Registration ofBean = created.computeIfAbsent(endpoint.method().getBeanName(),
						(bean) -> new Registration(registry(), new ArrayList<>(), new ArrayList<>()));
				ofBean.containers().add(this.containers.create(endpoint, faults));
				declared.stream()
					.filter((schedule) -> schedule.queue().equals(endpoint.queue().name()))
					.forEach(ofBean.declared()::add);
			}
			faults.throwIfAny();
			endpoints.forEach((endpoint) -> logRemarks(endpoint, arguments));
			add(created, endpoints, faults);
		}
		catch (RuntimeException ex) {
			this.reader.release(claimed);
			this.recurring.release(declared);
			throw ex;
		}
	}

	private void add(Map<String, Registration> added, List<DelayedListenerEndpoint> endpoints, Faults faults) {
		boolean isOfChild = this.beanFactory.getBeanNamesForType(DelayedListenerRegistry.class).length == 0;
		boolean isLate = true;
		if (isOfChild) {
			DelayedListenerRegistry registry = registry();
			endpoints.forEach((endpoint) -> rejectQueueOfOtherContext(endpoint, registry, faults));
			faults.throwIfAny();
			synchronized (this.ofChild) {
				this.ofChild.addAll(added.values());
				isLate = this.running;
			}
		}
		this.registered.putAll(added);
		if (isLate) {
			added.values().forEach(Registration::add);
		}
	}

	/** Stops and removes the listeners of a bean that is removed. */
	void remove(String bean) {
		synchronized (this.found) {
			this.found.removeIf((waiting) -> waiting.name().equals(bean));
		}
		Registration removed = this.registered.remove(bean);
		if (removed != null) {
			synchronized (this.ofChild) {
				this.ofChild.remove(removed);
			}
			removed.remove();
			this.reader.release(bean);
			this.recurring.release(bean);
		}
	}

	private static void rejectQueueOfOtherContext(DelayedListenerEndpoint endpoint, DelayedListenerRegistry registry,
			Faults faults) {
		ListenerMethod method = endpoint.method();
		registry.containers()
			.stream()
			.filter((other) -> other.queue().equals(endpoint.queue().name()) || other.id().equals(endpoint.id()))
			.findFirst()
			.ifPresent((other) -> faults.of(method.getBeanName(), method.toString())
				.attribute("queue", endpoint.queue().name(),
						"or its id already has a listener in a parent context, or in another child of the parent: "
								+ other,
						"A queue has one listener in an application: keep one of them"));
	}

	/** Adds the listeners of this context to the registry of the parent context. */
	void start() {
		ofChild(true).forEach(Registration::add);
	}

	/** Removes the listeners of this context from the registry of the parent context. */
	void stop() {
		List<Registration> added = ofChild(false);
		if (!added.isEmpty()) {
			registry().remove(added.stream().flatMap((one) -> one.declared().stream()).toList(),
					added.stream().flatMap((one) -> one.containers().stream()).toList());
		}
	}

	private List<Registration> ofChild(boolean running) {
		synchronized (this.ofChild) {
			this.running = running;
			return List.copyOf(this.ofChild);
		}
	}

	private DelayedListenerRegistry registry() {
		return this.beanFactory.getBean(DelayedListenerRegistry.class);
	}

	/**
	 * Rejects all listeners of a context in which nothing registers them.
	 * @throws DelayedListenerDefinitionException if there are listeners
	 */
	static void rejectAll(ApplicationContext context) {
		Faults faults = new Faults();
		for (String name : context.getBeanDefinitionNames()) {
			Class<?> type = context.getType(name, false);
			if (type != null) {
				ListenerBean.methodsOf(ClassUtils.getUserClass(type))
					.keySet()
					.forEach((method) -> faults.of(name, ListenerBean.describe(type, method))
						.method("belongs to a child context without auto-configuration, where nothing registers it",
								"Enable the auto-configuration of the child context, or move the bean to the parent"));
			}
		}
		faults.throwIfAny();
	}

	/** Every occurrence with this payload would become a dead letter. */
	private static void rejectUnreadable(RecurringSchedule schedule, DelayedListenerEndpoint endpoint,
			ListenerArguments arguments, Faults faults) {
		ListenerMethod method = endpoint.method();
		boolean isBatch = endpoint.batches() != null;
		for (MethodParameter parameter : method.getMethodParameters()) {
			String problem = arguments.problemOf(schedule.message().payload().orElseThrow(),
					isBatch ? parameter.nested() : parameter);
			if (problem != null) {
				faults.of(method.getBeanName(), method.toString())
					.method("cannot take the payload of its recurring schedule '" + schedule.key() + "': " + problem,
							"The payload of @Recurring is text: take a String, or write a payload that becomes the"
									+ " parameter");
			}
		}
	}

	private static void rejectSchedulesWithoutListener(ListenerBean bean, Faults faults) {
		bean.withoutListener()
			.forEach((method) -> faults.of(bean.name(), ListenerBean.describe(bean.type(), method))
				.method("declares a recurring schedule, but is no listener method: nothing would handle its messages",
						"Annotate it with @DelayedListener, which names the queue"));
	}

	/**
	 * Rejects the listeners of all bean definitions that are not singletons, even if no
	 * instance exists yet: otherwise the application would start without a listener for
	 * the queue.
	 */
	private void rejectDefinitionsOfOtherScopes(Faults faults) {
		for (String name : this.beanFactory.getBeanDefinitionNames()) {
			String scope = otherScope(name);
			if (scope == null && this.beanFactory.isFactoryBean(name) && !this.beanFactory.isSingleton(name)) {
				scope = BeanDefinition.SCOPE_PROTOTYPE;
			}
			Class<?> type = (scope != null) ? type(name, true) : null;
			if (type != null) {
				rejectScope(name, type, scope, ListenerBean.methodsOf(type).keySet(), faults);
			}
		}
	}

	private boolean isSingleton(ListenerBean bean, Faults faults) {
		String scope = otherScope(bean.name());
		rejectScope(bean.name(), bean.type(), scope, bean.methods().keySet(), faults);
		return scope == null;
	}

	/** A second instance of the bean would be a second listener for the queue. */
	private static void rejectScope(String name, Class<?> type, @Nullable String scope, Set<Method> methods,
			Faults faults) {
		if (scope != null) {
			String shown = ScopedProxyUtils.isScopedTarget(name) ? ScopedProxyUtils.getOriginalBeanName(name) : name;
			methods.forEach((method) -> faults.of(shown, ListenerBean.describe(type, method))
				.method("belongs to a bean of scope '" + scope + "', which may have several instances or none",
						"Make the bean a singleton, and obtain beans of other scopes from an ObjectProvider"));
		}
	}

	/** The scope, null if the bean is a singleton or has no definition of its own. */
	private @Nullable String otherScope(String name) {
		if (!this.beanFactory.containsBeanDefinition(name)) {
			return null;
		}
		BeanDefinition definition = this.beanFactory.getMergedBeanDefinition(name);
		return (definition.isSingleton() || definition.isAbstract()) ? null : definition.getScope();
	}

	private @Nullable Class<?> type(String name, boolean createsFactories) {
		try {
			return createsFactories ? AutoProxyUtils.determineTargetClass(this.beanFactory, name)
					: this.beanFactory.getType(name, false);
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
