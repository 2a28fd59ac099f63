package io.delayqueue.autoconfigure;

import java.util.Set;

import io.delayqueue.DelayQueueAdmin;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.listener.DelayedListenerRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.analyzer.AbstractInjectionFailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Says why something cannot get the beans of delayed messages: they are switched off, or
 * there is no Redis. Comes before the analyzer that would advise to define such a bean.
 */
final class MissingBeanFailureAnalyzer extends AbstractInjectionFailureAnalyzer<NoSuchBeanDefinitionException>
		implements Ordered {

	private static final Set<Class<?>> OURS = Set.of(DelayQueueOperations.class, DelayQueueAdmin.class,
			DelayedListenerRegistry.class);

	private final Environment environment;

	private final BeanFactory beanFactory;

	MissingBeanFailureAnalyzer(Environment environment, BeanFactory beanFactory) {
		this.environment = environment;
		this.beanFactory = beanFactory;
	}

	@Override
	public int getOrder() {
		return 0;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause,
			@Nullable String description) {
		Class<?> needed = (cause.getResolvableType() != null) ? cause.getResolvableType().resolve() : null;
		if (needed == null || !OURS.contains(needed) || cause.getNumberOfBeansFound() > 0) {
			return null;
		}
		String need = ((description != null) ? description : "A component") + " needs a " + needed.getSimpleName()
				+ ", but ";
		if (!this.environment.getProperty("delayqueue.enabled", Boolean.class, true)) {
			return new FailureAnalysis(need + "delayed messages are switched off: delayqueue.enabled is 'false'.",
					"Set delayqueue.enabled to true, or let it do without: inject an ObjectProvider<"
							+ needed.getSimpleName() + ">.",
					cause);
		}
		if (this.beanFactory instanceof ListableBeanFactory beans
				&& beans.getBeanNamesForType(RedisConnectionFactory.class, true, false).length > 0) {
			// Not for want of Redis: a part of an application, perhaps, for a test
			return null;
		}
		return new FailureAnalysis(need + "there is no RedisConnectionFactory, so that delayed messages are not wired.",
				"Add the starter 'delayqueue-starter' and do not exclude DataRedisAutoConfiguration, or define a"
						+ " RedisConnectionFactory of your own (marked @DelayQueueRedis if it is for delayed messages"
						+ " alone).",
				cause);
	}

}
