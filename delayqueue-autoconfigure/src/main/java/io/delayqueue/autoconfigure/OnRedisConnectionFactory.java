package io.delayqueue.autoconfigure;

import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Matches if there is a connection factory for Redis: the application's factory, or a
 * factory that is marked for delayed messages and is not a default candidate for
 * injection.
 */
final class OnRedisConnectionFactory extends AnyNestedCondition {

	OnRedisConnectionFactory() {
		super(ConfigurationPhase.REGISTER_BEAN);
	}

	@ConditionalOnBean(RedisConnectionFactory.class)
	static class OfTheApplication {

	}

	@Conditional(OnMarkedBean.class)
	static class OfDelayedMessages {

	}

	/**
	 * Matches if a bean is annotated with {@link DelayQueueRedis}. {@code
	 * ConditionalOnBean} ignores such a bean if it is not a default candidate for
	 * injection.
	 */
	static final class OnMarkedBean extends SpringBootCondition {

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			ConditionMessage.Builder message = ConditionMessage.forCondition(DelayQueueRedis.class.getSimpleName());
			List<String> marked = marked(context.getBeanFactory());
			return marked.isEmpty() ? ConditionOutcome.noMatch(message.didNotFind("any marked bean").atAll())
					: ConditionOutcome.match(message.found("bean", "beans").items(marked));
		}

		/**
		 * Returns the names of the beans that are annotated with {@link DelayQueueRedis}.
		 * The search does not instantiate a {@code FactoryBean} to determine the type of
		 * its bean, because the condition is evaluated before beans may be instantiated.
		 */
		static List<String> marked(@Nullable ConfigurableListableBeanFactory beans) {
			return (beans == null) ? List.of()
					: Stream.of(beans.getBeanDefinitionNames())
						.filter((bean) -> !beans.getBeanDefinition(bean).isAbstract())
						.filter((bean) -> beans.findAnnotationOnBean(bean, DelayQueueRedis.class, false) != null)
						.toList();
		}

	}

}
