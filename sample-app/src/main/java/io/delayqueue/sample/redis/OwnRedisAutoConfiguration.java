package io.delayqueue.sample.redis;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;

import io.delayqueue.test.redis.PersistentRedis;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Starts a Redis server for the sample application if no other server is configured. The
 * class is an auto-configuration so that its conditions are evaluated after the
 * configuration of the application.
 */
@AutoConfiguration(before = DataRedisAutoConfiguration.class)
@Conditional(OwnRedisAutoConfiguration.NoAddressOfRedis.class)
public final class OwnRedisAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(DataRedisConnectionDetails.class)
	OwnRedisConnectionDetails ownRedisConnectionDetails(
			@Value("${sample.redis.dir:${user.home}/.delayqueue-sample}") String directory) {
		return new OwnRedisConnectionDetails(PersistentRedis.findOrStart(Path.of(directory)));
	}

	record OwnRedisConnectionDetails(URI uri) implements DataRedisConnectionDetails {

		@Override
		public Standalone getStandalone() {
			return Standalone.of(this.uri.getHost(), this.uri.getPort());
		}

	}

	/**
	 * Matches if no property sets an address of Redis. The condition binds the properties
	 * instead of reading them, because lists and environment variables have several
	 * spellings.
	 */
	static final class NoAddressOfRedis extends SpringBootCondition {

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

}
