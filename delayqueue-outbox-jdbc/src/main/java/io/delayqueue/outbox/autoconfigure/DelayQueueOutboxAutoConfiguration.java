package io.delayqueue.outbox.autoconfigure;

import javax.sql.DataSource;

import io.delayqueue.autoconfigure.DelayQueueAutoConfiguration;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.outbox.DelayQueueOutbox;
import io.delayqueue.outbox.DelayQueueOutboxAdmin;
import io.delayqueue.outbox.DelayQueueOutboxDataSource;
import io.delayqueue.outbox.jdbc.JdbcOutbox;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;

/**
 * Auto-configuration of the outbox, if the context has a delay queue engine and a data
 * source.
 */
@AutoConfiguration(after = { DelayQueueAutoConfiguration.class, DataSourceAutoConfiguration.class })
@ConditionalOnBean({ DelayQueueEngine.class, DataSource.class })
@EnableConfigurationProperties(DelayQueueOutboxProperties.class)
@ImportRuntimeHints(OutboxRuntimeHints.class)
public final class DelayQueueOutboxAutoConfiguration implements AopInfrastructureBean {

	@Bean
	static CommitListenerRegistrar delayQueueOutboxCommitListenerRegistrar() {
		return new CommitListenerRegistrar();
	}

	@Bean
	OutboxDataSource delayQueueOutboxDataSource(@DelayQueueOutboxDataSource ObjectProvider<DataSource> own,
			ObjectProvider<DataSource> dataSources) {
		return new OutboxDataSource(own.getIfAvailable(dataSources::getObject));
	}

	@Bean
	OutboxSchemaInitializer delayQueueOutboxSchemaInitializer(OutboxDataSource outbox,
			DelayQueueOutboxProperties properties) {
		return new OutboxSchemaInitializer(outbox.dataSource(), properties.initializeSchema(),
				properties.settings().tableName());
	}

	@Bean
	@ConditionalOnMissingBean
	@DependsOnDatabaseInitialization
	JdbcOutbox delayQueueJdbcOutbox(OutboxDataSource outbox, OutboxSchemaInitializer schema,
			DelayQueueOutboxProperties properties, DelayQueueEngine engine) {
		return new JdbcOutbox(outbox.dataSource(), properties.settings(), engine);
	}

	@Bean
	@ConditionalOnMissingBean
	DelayQueueOutbox delayQueueOutbox(JdbcOutbox outbox) {
		return outbox.operations();
	}

	@Bean
	@ConditionalOnMissingBean
	DelayQueueOutboxAdmin delayQueueOutboxAdmin(JdbcOutbox outbox) {
		return outbox.admin();
	}

}
