package io.delayqueue.outbox.example;

import javax.sql.DataSource;

import io.delayqueue.outbox.DelayQueueOutboxDataSource;

import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

class TwoDataSources {

	@Bean
	@DelayQueueOutboxDataSource
	DataSource orders(Environment environment) {
		return DataSourceBuilder.create().url(environment.getProperty("orders.url")).build();
	}

}
