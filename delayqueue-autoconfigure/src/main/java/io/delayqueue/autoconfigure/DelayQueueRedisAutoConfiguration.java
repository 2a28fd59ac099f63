package io.delayqueue.autoconfigure;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration of connection factories that are marked with
 * {@link DelayQueueRedis}: Spring does not inject them where they are not asked for. It
 * runs before the conditions of Spring Boot, so that Spring Boot still configures the
 * connection factory of the application.
 */
@AutoConfiguration(before = DataRedisAutoConfiguration.class)
@Conditional(OnEnabled.class)
@Import(MarkedConnections.class)
public final class DelayQueueRedisAutoConfiguration implements AopInfrastructureBean {

}
