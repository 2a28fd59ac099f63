package io.delayqueue.outbox.autoconfigure;

import javax.sql.DataSource;

import org.springframework.aop.framework.AopInfrastructureBean;

/**
 * The data source that the outbox uses.
 *
 * @param dataSource the data source annotated with {@link DelayQueueOutboxDataSource}; if
 * there is none, the only or primary data source
 */
record OutboxDataSource(DataSource dataSource) implements AopInfrastructureBean {
}
