package io.delayqueue.autoconfigure;

import java.util.Set;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.RecurringOperations;
import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.listener.DelayedListenerRegistry;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.analyzer.AbstractInjectionFailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.repository.Repository;

/**
 * Explains why the beans of delayed messages are missing: delayed messages are disabled,
 * a test loads only a part of the application, or there is no connection factory for
 * Redis. Also explains why a repository of Spring Data is missing. This analyzer runs
 * before the one of Spring Boot, which would suggest to define the missing bean.
 */
final class MissingBeanFailureAnalyzer extends AbstractInjectionFailureAnalyzer<NoSuchBeanDefinitionException>
		implements Ordered {

	private static final Set<Class<?>> BEAN_TYPES = Set.of(DelayQueueOperations.class, RecurringOperations.class,
			DelayQueueAdmin.class, DelayedListenerRegistry.class);

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
		if (needed != null && Repository.class.isAssignableFrom(needed)) {
			return missingRepository(needed, cause, description);
		}
		if (needed == null || !BEAN_TYPES.contains(needed) || cause.getNumberOfBeansFound() > 0) {
			return null;
		}
		String need = ((description != null) ? description : "A component") + " needs a " + needed.getSimpleName()
				+ ", but ";
		if (!this.environment.getProperty("delayqueue.enabled", Boolean.class, true)) {
			return new FailureAnalysis(need + "delayed messages are disabled: delayqueue.enabled is 'false'.",
					"Set delayqueue.enabled to true, or make the dependency optional: inject an ObjectProvider<"
							+ needed.getSimpleName() + ">.",
					cause);
		}
		if (!this.environment.getProperty(EnableAutoConfiguration.ENABLED_OVERRIDE_PROPERTY, Boolean.class, true)) {
			return new FailureAnalysis(
					need + "this test loads only a part of the application, without delayed messages.",
					"Add a field '@MockitoBean " + needed.getSimpleName() + "' to the test, or use @DelayQueueTest or"
							+ " @SpringBootTest, which load delayed messages too.",
					cause);
		}
		if (this.beanFactory instanceof ListableBeanFactory beans
				&& beans.getBeanNamesForType(RedisConnectionFactory.class, true, false).length > 0) {
			// A connection factory exists, so the bean is missing for another reason
			return null;
		}
		return new FailureAnalysis(need + "there is no RedisConnectionFactory, so delayed messages are not configured.",
				"Add the starter 'delayqueue-starter' and do not exclude DataRedisAutoConfiguration, or define a"
						+ " RedisConnectionFactory of your own (marked @DelayQueueRedis if it is for delayed messages"
						+ " alone).",
				cause);
	}

	/**
	 * Spring Data Redis, which this library needs, is a second module beside the one of
	 * the application: then Spring Data ignores a repository whose entity names no store.
	 */
	private static FailureAnalysis missingRepository(Class<?> needed, NoSuchBeanDefinitionException cause,
			@Nullable String description) {
		Class<?> entity = ResolvableType.forClass(needed).as(Repository.class).getGeneric(0).resolve(Object.class);
		return new FailureAnalysis(((description != null) ? description : "A component") + " needs a "
				+ needed.getSimpleName() + ", but Spring Data has created none. Spring Data Redis, which delayed"
				+ " messages need, is on the class path: if there are several modules of Spring Data, a repository is"
				+ " only created if its entity or its interface names its store.",
				"Annotate " + entity.getSimpleName() + " with the annotation of its store (such as"
						+ " org.springframework.data.relational.core.mapping.Table for JDBC and R2DBC), or let "
						+ needed.getSimpleName() + " extend an interface of the store. If it does so already, check"
						+ " that its package is searched for repositories.",
				cause);
	}

}
