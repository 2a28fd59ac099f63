package io.delayqueue.outbox.autoconfigure;

import java.nio.charset.StandardCharsets;

import javax.sql.DataSource;

import io.delayqueue.outbox.jdbc.OutboxSchema;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.DatabasePopulator;
import org.springframework.jdbc.datasource.init.DatabasePopulatorUtils;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Creates the table of the outbox at startup, if the table does not exist and
 * {@code delayqueue.outbox.initialize-schema} demands its creation.
 */
final class OutboxSchemaInitializer implements InitializingBean, AopInfrastructureBean {

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
		boolean isWanted = this.mode == DatabaseInitializationMode.ALWAYS
				|| (this.mode == DatabaseInitializationMode.EMBEDDED
						&& EmbeddedDatabaseConnection.isEmbedded(this.dataSource));
		// Check first whether the table exists: CREATE INDEX IF NOT EXISTS would wait for
		// open transactions that have written rows, and would make later transactions
		// wait
		if (isWanted && !exists()) {
			try {
				create();
			}
			catch (DataAccessException failure) {
				// On PostgreSQL the creation fails if another process creates the table
				// at the same time; in this case the table exists now
				if (!exists()) {
					throw failure;
				}
			}
		}
	}

	private boolean exists() {
		try {
			new JdbcTemplate(this.dataSource).queryForList("SELECT seq FROM " + this.tableName + " WHERE 1 = 0");
			return true;
		}
		catch (BadSqlGrammarException missing) {
			return false;
		}
	}

	/**
	 * Creates the table and its indexes in one transaction. If the database can roll back
	 * these statements, a failure leaves no table without indexes.
	 */
	private void create() {
		String script = OutboxSchema.script(this.dataSource, this.tableName);
		DatabasePopulator populator = new ResourceDatabasePopulator(
				new ByteArrayResource(script.getBytes(StandardCharsets.UTF_8)));
		new TransactionTemplate(new JdbcTransactionManager(this.dataSource))
			.executeWithoutResult((status) -> DatabasePopulatorUtils.execute(populator, this.dataSource));
	}

}
