package io.delayqueue.sample;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.delayqueue.test.redis.RedisServer;

import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfiguration;

/** The application uses one Redis server that all tests of this JVM share. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ContextConfiguration(initializers = OnRedis.Initializer.class)
public @interface OnRedis {

	class Initializer implements ApplicationContextInitializer<ConfigurableApplicationContext> {

		private static final RedisServer redis = RedisServer.builder().start();

		@Override
		public void initialize(ConfigurableApplicationContext context) {
			TestPropertyValues.of("spring.data.redis.url=" + redis.uri()).applyTo(context);
		}

	}

}
