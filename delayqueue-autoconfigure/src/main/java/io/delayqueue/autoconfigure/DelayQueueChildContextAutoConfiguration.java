package io.delayqueue.autoconfigure;

import java.util.List;

import io.delayqueue.listener.DelayedListenerAnnotationBeanPostProcessor;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * Auto-configuration of the listeners of a child context, which uses the engine of its
 * parent context.
 */
@AutoConfiguration(after = DelayQueueAutoConfiguration.class)
@Conditional(OnParentEngine.class)
public final class DelayQueueChildContextAutoConfiguration implements AopInfrastructureBean {

	@Bean
	static LazyInitializationExcludeFilter delayQueueLazyInitializationExcludeFilter() {
		return (name, definition, type) -> DelayedListenerAnnotationBeanPostProcessor.hasListeners(type);
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	static DelayedListenerAnnotationBeanPostProcessor delayedListenerAnnotationBeanPostProcessor(BeanFactory beans) {
		return new DelayedListenerAnnotationBeanPostProcessor(
				() -> AutoConfigurationPackages.has(beans) ? AutoConfigurationPackages.get(beans) : List.of());
	}

}
