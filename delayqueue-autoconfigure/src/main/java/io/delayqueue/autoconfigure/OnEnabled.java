package io.delayqueue.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Delayed messages are not switched off. Reads the property as every other one is read: a
 * word that means neither yes nor no ends the start, instead of switching off in silence.
 */
final class OnEnabled extends SpringBootCondition {

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		boolean enabled = Binder.get(context.getEnvironment()).bind("delayqueue.enabled", Boolean.class).orElse(true);
		return new ConditionOutcome(enabled,
				ConditionMessage.forCondition("delayqueue.enabled").because("it is " + enabled));
	}

}
