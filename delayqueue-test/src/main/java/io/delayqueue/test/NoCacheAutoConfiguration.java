package io.delayqueue.test;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.cache.CacheManager;
import org.springframework.cache.interceptor.CacheAspectSupport;
import org.springframework.cache.support.NoOpCacheManager;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of a test slice whose application enables caching in its main class:
 * a cache that keeps nothing, as Spring Boot's own slices have it.
 */
@AutoConfiguration
@ConditionalOnBean(CacheAspectSupport.class)
@ConditionalOnMissingBean(CacheManager.class)
final class NoCacheAutoConfiguration implements AopInfrastructureBean {

	@Bean
	CacheManager delayQueueTestNoCacheManager() {
		return new NoOpCacheManager();
	}

}
