package io.delayqueue.autoconfigure;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.cache.RedisCacheManager;

/**
 * Auto-configuration of the warning about caches that Spring Boot keeps in Redis, also if
 * delayed messages are disabled.
 */
@AutoConfiguration(afterName = "org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration")
@ConditionalOnClass(RedisCacheManager.class)
@ConditionalOnBean(RedisCacheManager.class)
public final class DelayQueueCacheAutoConfiguration implements AopInfrastructureBean {

	@Bean
	RedisCacheWarning delayQueueRedisCacheWarning(ConfigurableListableBeanFactory beans, Environment environment) {
		return new RedisCacheWarning(beans, environment);
	}

}
