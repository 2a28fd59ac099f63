package io.delayqueue.autoconfigure;

import io.delayqueue.autoconfigure.OnRedisConnectionFactory.OnMarkedBean;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Makes the beans that are marked with {@link DelayQueueRedis} no default candidates for
 * injection.
 */
final class MarkedConnections implements ImportBeanDefinitionRegistrar {

	@Override
	public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
		for (String name : OnMarkedBean.marked((ConfigurableListableBeanFactory) registry)) {
			if (registry.getBeanDefinition(name) instanceof AbstractBeanDefinition definition
					&& definition.isDefaultCandidate()) {
				// Spring has already merged the definition, so it is registered anew
				registry.removeBeanDefinition(name);
				definition.setDefaultCandidate(false);
				registry.registerBeanDefinition(name, definition);
			}
		}
	}

}
