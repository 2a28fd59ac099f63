package io.delayqueue.sample.redis;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * Starts a Redis server for the application if no other one is configured. It is an
 * auto-configuration so that its conditions are evaluated after all other configuration.
 */
@AutoConfiguration(before = DataRedisAutoConfiguration.class)
@Conditional(OnNoRedisConfigured.class)
@EnableConfigurationProperties(OwnRedisProperties.class)
public final class OwnRedisAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(DataRedisConnectionDetails.class)
	OwnRedisConnectionDetails ownRedisConnectionDetails(OwnRedisProperties properties) {
		return new OwnRedisConnectionDetails(new OwnRedis(properties.directory()).findOrStart());
	}

}
