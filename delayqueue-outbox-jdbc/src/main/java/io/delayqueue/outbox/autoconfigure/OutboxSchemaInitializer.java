package io.delayqueue.outbox.autoconfigure;

import java.nio.charset.StandardCharsets;

import javax.sql.DataSource;

import io.delayqueue.outbox.jdbc.OutboxSchema;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.datasource.init.DatabasePopulatorUtils;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * Creates the table of the outbox at startup if the mode requires it and there is none.
 */
final class OutboxSchemaInitializer implements InitializingBean {

	private final DataSource dataSource;

	private final DatabaseInitializationMode mode;

	private final String tableName;

	OutboxSchemaInitializer(DataSource dataSource, DatabaseInitializationMode mode, String tableName) {
		this.dataSource = dataSource;
		this.mode = mode;
		this.tableName = tableName;
	}

	@Override
	public void afterPropertiesSet() {
		if (this.mode == DatabaseInitializationMode.ALWAYS || (this.mode == DatabaseInitializationMode.EMBEDDED
				&& EmbeddedDatabaseConnection.isEmbedded(this.dataSource))) {
			String script = OutboxSchema.script(this.dataSource, this.tableName);
			try {
				run(script);
			}
			catch (DataAccessException raced) {
				// PostgreSQL fails if two processes create the same table at once
				run(script);
			}
		}
	}

	private void run(String script) {
		DatabasePopulatorUtils.execute(
				new ResourceDatabasePopulator(new ByteArrayResource(script.getBytes(StandardCharsets.UTF_8))),
				this.dataSource);
	}

}
