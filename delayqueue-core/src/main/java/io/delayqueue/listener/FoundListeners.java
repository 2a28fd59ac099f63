package io.delayqueue.listener;

import java.util.ArrayList;
import java.util.List;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Collects beans with listeners until all singletons exist, and registers them together.
 * From then on it registers each bean at its creation. Thread-safe.
 */
final class FoundListeners {

	private final ConfigurableListableBeanFactory beanFactory;

	private final EndpointRegistrar registrar;

	private final NonSingletonListeners nonSingletons;

	/** Guards itself and {@link #registering}; no bean is looked up under this lock. */
	private final List<ListenerBean> found = new ArrayList<>();

	private boolean registering;

	FoundListeners(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		this.registrar = new EndpointRegistrar(beanFactory);
		this.nonSingletons = new NonSingletonListeners(beanFactory);
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
		this.nonSingletons.reject(faults);
		register(beans.stream().map(this::asExposed).toList(), faults);
	}

	private void register(List<ListenerBean> beans, Faults faults) {
		this.registrar.register(beans.stream().filter((bean) -> !this.nonSingletons.reject(bean, faults)).toList(),
				faults);
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

}
