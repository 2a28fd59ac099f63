package io.delayqueue.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches unless {@code delayqueue.enabled} is {@code false}. The condition binds the
 * property like every other property, so that a value that is not a boolean prevents the
 * start instead of silently disabling delayed messages.
 */
final class OnEnabled extends SpringBootCondition {

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		boolean enabled = Binder.get(context.getEnvironment()).bind("delayqueue.enabled", Boolean.class).orElse(true);
		return new ConditionOutcome(enabled,
				ConditionMessage.forCondition("delayqueue.enabled").because("it is " + enabled));
	}

}
