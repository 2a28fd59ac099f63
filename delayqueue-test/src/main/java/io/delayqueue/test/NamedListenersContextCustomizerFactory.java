package io.delayqueue.test;

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.AnnotatedGenericBeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/**
 * Makes each listener that a {@link DelayQueueTest} names a bean, if it is none yet: the
 * component scan finds no class that a method with {@code @Bean} declares.
 */
final class NamedListenersContextCustomizerFactory implements ContextCustomizerFactory {

	@Override
	public @Nullable ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> attributes) {
		DelayQueueTest test = TestContextAnnotationUtils.findMergedAnnotation(testClass, DelayQueueTest.class);
		return (test != null && test.listeners().length > 0) ? new NamedListeners(Set.of(test.listeners())) : null;
	}

	private record NamedListeners(Set<Class<?>> types) implements ContextCustomizer {

		@Override
		public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration merged) {
			context.addBeanFactoryPostProcessor(
					(beanFactory) -> this.types.forEach((type) -> addMissing(type, beanFactory)));
		}

		private static void addMissing(Class<?> type, ConfigurableListableBeanFactory beanFactory) {
			if (beanFactory.getBeanNamesForType(type, true, false).length == 0) {
				((BeanDefinitionRegistry) beanFactory).registerBeanDefinition(type.getName(),
						new AnnotatedGenericBeanDefinition(type));
			}
		}

	}

}
