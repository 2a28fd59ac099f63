package io.delayqueue.sample.redis;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * Gives the application a Redis of its own if nothing says where another one is. An
 * auto-configuration, so that it is asked after everything else that could.
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
