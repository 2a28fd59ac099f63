package io.delayqueue.autoconfigure;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.util.ClassUtils;

/**
 * Warns at the start if Spring Boot keeps the application's caches in Redis and the
 * application has not chosen it: the connection that delayed messages need makes Spring
 * Boot prefer Redis to caches in the process.
 */
final class RedisCacheWarning implements SmartInitializingSingleton, AopInfrastructureBean {

	private static final Log logger = LogFactory.getLog(RedisCacheWarning.class);

	private static final String TYPE = "spring.cache.type";

	private static final String CAFFEINE = "com.github.benmanes.caffeine.cache.Caffeine";

	private final ConfigurableListableBeanFactory beans;

	private final Environment environment;

	RedisCacheWarning(ConfigurableListableBeanFactory beans, Environment environment) {
		this.beans = beans;
		this.environment = environment;
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.environment.containsProperty(TYPE)) {
			return;
		}
		for (String name : this.beans.getBeanNamesForType(RedisCacheManager.class, true, false)) {
			if (this.beans.containsBeanDefinition(name)
					&& String.valueOf(this.beans.getBeanDefinition(name).getFactoryBeanName())
						.startsWith("org.springframework.boot.")) {
				String local = ClassUtils.isPresent(CAFFEINE, this.beans.getBeanClassLoader()) ? "caffeine" : "simple";
				logger.warn("The caches of this application are in Redis, because there is a connection to Redis and "
						+ TYPE + " is not set. Set " + TYPE + "=" + local + " if they are to stay in the process, or "
						+ TYPE + "=redis if Redis is intended");
			}
		}
	}

}
