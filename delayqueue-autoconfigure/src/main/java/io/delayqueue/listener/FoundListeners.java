package io.delayqueue.listener;

import java.util.ArrayList;
import java.util.List;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Takes note of beans with listeners until all singletons exist, registers them together,
 * and from then on registers each one as it comes. Safe for use by several threads.
 */
final class FoundListeners {

	private final ConfigurableListableBeanFactory beanFactory;

	private final EndpointRegistrar registrar;

	private final NonSingletonListeners nonSingletons;

	/** Guards itself and {@link #registering}; no bean is looked up under this lock. */
	private final List<ListenerBean> noted = new ArrayList<>();

	private boolean registering;

	FoundListeners(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		this.registrar = new EndpointRegistrar(beanFactory);
		this.nonSingletons = new NonSingletonListeners(beanFactory);
	}

	void add(ListenerBean bean) {
		synchronized (this.noted) {
			if (!this.registering) {
				this.noted.add(bean);
				return;
			}
		}
		register(List.of(bean), new Faults());
	}

	void registerAll() {
		List<ListenerBean> beans;
		synchronized (this.noted) {
			this.registering = true;
			beans = List.copyOf(this.noted);
			this.noted.clear();
		}
		Faults faults = new Faults();
		this.nonSingletons.refuse(faults);
		register(beans.stream().map(this::asExposed).toList(), faults);
	}

	private void register(List<ListenerBean> beans, Faults faults) {
		this.registrar.register(beans.stream().filter((bean) -> !this.nonSingletons.refuse(bean, faults)).toList(),
				faults);
	}

	/** Other post-processors may have put a proxy around the bean after it was noted. */
	private ListenerBean asExposed(ListenerBean noted) {
		String name = noted.name();
		if (noted.bean() instanceof FactoryBean || !this.beanFactory.containsSingleton(name)) {
			return noted;
		}
		Object exposed = this.beanFactory.getBean(name);
		return (AopProxyUtils.ultimateTargetClass(exposed) == noted.type())
				? new ListenerBean(name, exposed, noted.type(), noted.methods()) : noted;
	}

}
