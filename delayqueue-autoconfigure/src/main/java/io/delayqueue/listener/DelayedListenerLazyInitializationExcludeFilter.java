package io.delayqueue.listener;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.LazyInitializationExcludeFilter;

/**
 * Keeps beans with listeners eager with {@code spring.main.lazy-initialization}: no other
 * bean depends on a listener's bean, so it would never be created. A bean that is
 * annotated with {@code @Lazy} stays lazy.
 */
public final class DelayedListenerLazyInitializationExcludeFilter implements LazyInitializationExcludeFilter {

	@Override
	public boolean isExcluded(String beanName, BeanDefinition beanDefinition, Class<?> beanType) {
		return !ListenerMethods.of(beanType).isEmpty();
	}

}
