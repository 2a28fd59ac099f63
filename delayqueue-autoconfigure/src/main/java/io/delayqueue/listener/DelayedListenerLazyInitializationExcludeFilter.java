package io.delayqueue.listener;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.LazyInitializationExcludeFilter;

/**
 * Keeps beans with listeners eager where {@code spring.main.lazy-initialization} makes
 * all others lazy: nobody asks for a listener's bean, so it would never listen. A bean
 * that is marked {@code @Lazy} itself stays lazy.
 */
public final class DelayedListenerLazyInitializationExcludeFilter implements LazyInitializationExcludeFilter {

	@Override
	public boolean isExcluded(String beanName, BeanDefinition beanDefinition, Class<?> beanType) {
		return !ListenerMethods.of(beanType).isEmpty();
	}

}
