package io.delayqueue.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Marks the {@code RedisConnectionFactory} that the library uses, so that delayed
 * messages can be in a different Redis than the data of the application:
 *
 * <pre class="code">
 * &#64;Bean
 * &#64;DelayQueueRedis
 * JedisConnectionFactory delayQueueConnections() {
 * 	return new JedisConnectionFactory(new RedisStandaloneConfiguration("queues.example.com"));
 * }
 * </pre>
 *
 * Spring does not inject the marked factory into other injection points of type
 * {@code RedisConnectionFactory}, as with {@code @Bean(defaultCandidate = false)}, and
 * Spring Boot still auto-configures the application's connection factory.
 */
@Target({ ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.FIELD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Qualifier
public @interface DelayQueueRedis {

}
