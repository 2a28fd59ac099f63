package io.delayqueue.autoconfigure;

import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.context.annotation.Conditional;

/**
 * Matches if no parent context has an engine.
 */
final class OnNoParentEngine extends NoneNestedConditions {

	OnNoParentEngine() {
		super(ConfigurationPhase.REGISTER_BEAN);
	}

	@Conditional(OnParentEngine.class)
	static class OfParent {

	}

}
