package io.delayqueue.autoconfigure;

import io.delayqueue.engine.DelayQueueEngine;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches in a child context if a parent context has an engine, which the child then
 * uses.
 */
final class OnParentEngine extends SpringBootCondition {

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		ConditionMessage.Builder message = ConditionMessage.forCondition("Parent context");
		ConfigurableListableBeanFactory beans = context.getBeanFactory();
		boolean found = beans != null && beans.getParentBeanFactory() instanceof ListableBeanFactory parent
				&& BeanFactoryUtils.beanNamesForTypeIncludingAncestors(parent, DelayQueueEngine.class, true,
						false).length > 0;
		return new ConditionOutcome(found,
				found ? message.foundExactly("an engine") : message.didNotFind("an engine").atAll());
	}

}
