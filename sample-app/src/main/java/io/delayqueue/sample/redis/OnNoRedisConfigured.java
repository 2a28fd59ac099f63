package io.delayqueue.sample.redis;

import java.util.List;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches if no property configures the address of Redis. Lists and environment variables
 * have several spellings, so the properties are bound instead of read.
 */
final class OnNoRedisConfigured extends SpringBootCondition {

	private static final List<String> PROPERTIES = List.of("spring.data.redis.url", "spring.data.redis.host",
			"spring.data.redis.cluster.nodes", "spring.data.redis.sentinel.nodes");

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		Binder binder = Binder.get(context.getEnvironment());
		ConditionMessage.Builder message = ConditionMessage.forCondition("own Redis");
		return PROPERTIES.stream()
			.filter((property) -> binder.bind(property, Bindable.listOf(String.class)).isBound())
			.findFirst()
			.map((property) -> ConditionOutcome.noMatch(message.because(property + " is set")))
			.orElseGet(() -> ConditionOutcome.match(message.because("none of " + PROPERTIES + " is set")));
	}

}
