package io.delayqueue.outbox.jdbc;

import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The database transaction of the calling thread, in which the outbox writes rows.
 */
final class CallerTransaction {

	private final DataSource dataSource;

	private final JdbcTransactions jdbcTransactions;

	CallerTransaction(DataSource dataSource) {
		DataSource target = (dataSource instanceof TransactionAwareDataSourceProxy proxy) ? proxy.getTargetDataSource()
				: null;
		this.dataSource = (target != null) ? target : dataSource;
		this.jdbcTransactions = new JdbcTransactions(this.dataSource);
	}

	/**
	 * Checks, without a statement to the database, that the calling thread has a
	 * transaction in which the outbox can write a row.
	 */
	void require() {
		if (!TransactionSynchronizationManager.isActualTransactionActive()) {
			throw new IllegalTransactionStateException(
					"The outbox needs a transaction. Annotate the caller with @Transactional, or use DelayQueueOperations");
		}
		if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
			throw new IllegalTransactionStateException("The outbox cannot write a row in a read-only transaction");
		}
		if (!isTransactional()) {
			throw new IllegalTransactionStateException(
					"The transaction does not belong to the data source of the outbox."
							+ " Annotate the right data source with @DelayQueueOutboxDataSource, or name its transaction manager in"
							+ " @Transactional; a transaction manager of JPA must expose the JDBC connection of this data source");
		}
	}

	/**
	 * Returns whether a transaction manager has bound a connection to the calling thread
	 * for a transaction of the data source of the outbox. Spring also binds a connection
	 * of this data source to the thread if the thread uses it during a transaction of
	 * another data source. The end of that transaction does not commit the work of the
	 * connection.
	 */
	private boolean isTransactional() {
		return this.jdbcTransactions.isActive() || isBoundByJpa();
	}

	/**
	 * Returns whether a transaction manager of JPA has bound the connection to the
	 * calling thread. A JPA transaction manager neither marks the connection as
	 * transactional nor synchronizes the connection with the transaction.
	 */
	private boolean isBoundByJpa() {
		return TransactionSynchronizationManager.getResource(this.dataSource) instanceof ConnectionHolder holder
				&& !holder.isSynchronizedWithTransaction();
	}

	/**
	 * Passes the numbers of written rows to the receiver after the commit of the caller's
	 * transaction.
	 */
	void afterCommit(List<Long> rows, Consumer<Collection<Long>> receiver) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				receiver.accept(rows);
			}

		});
	}

	/**
	 * Gives access to the flag by which Spring's JDBC transaction managers mark a
	 * connection with an active transaction. This class begins no transactions.
	 */
	@SuppressWarnings("serial")
	private static final class JdbcTransactions extends DataSourceTransactionManager {

		JdbcTransactions(DataSource dataSource) {
			super(dataSource);
		}

		boolean isActive() {
			return isExistingTransaction(doGetTransaction());
		}

	}

}
