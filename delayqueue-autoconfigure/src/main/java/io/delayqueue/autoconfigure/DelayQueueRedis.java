package io.delayqueue.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Marks the {@code RedisConnectionFactory} that delayed messages use instead of the
 * application's, so that they can have a Redis of their own:
 *
 * <pre class="code">
 * &#64;Bean(defaultCandidate = false)
 * &#64;DelayQueueRedis
 * JedisConnectionFactory delayQueueConnections() {
 * 	return new JedisConnectionFactory(new RedisStandaloneConfiguration("queues.example.com"));
 * }
 * </pre>
 *
 * {@code defaultCandidate = false} keeps it out of the way of everything else that asks
 * for a {@code RedisConnectionFactory}: Spring Boot then still makes the application's
 * own.
 */
@Target({ ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.FIELD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Qualifier
public @interface DelayQueueRedis {

}
