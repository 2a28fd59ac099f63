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
	 * Checks that the thread has a transaction in which a row can be written. Sends no
	 * statement.
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
			throw new IllegalTransactionStateException("The transaction is not one of the data source of the outbox."
					+ " Annotate the right data source with @DelayQueueOutboxDataSource, or name its transaction manager in"
					+ " @Transactional; a transaction manager of JPA must expose the JDBC connection of this data source");
		}
	}

	/**
	 * Whether a transaction manager has bound the connection of the thread for a
	 * transaction of this data source. A connection that was only used within a
	 * transaction of another data source is bound, too, but that transaction does not
	 * commit it.
	 */
	private boolean isTransactional() {
		return this.jdbcTransactions.isActive() || isBoundByJpa();
	}

	/**
	 * Whether a transaction manager of JPA has bound the connection, which it neither
	 * marks as active nor synchronizes.
	 */
	private boolean isBoundByJpa() {
		return TransactionSynchronizationManager.getResource(this.dataSource) instanceof ConnectionHolder holder
				&& !holder.isSynchronizedWithTransaction();
	}

	/** Passes the numbers of rows to the receiver after the commit. */
	void afterCommit(List<Long> rows, Consumer<Collection<Long>> receiver) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				receiver.accept(rows);
			}

		});
	}

	/**
	 * Reads the mark by which transaction managers of JDBC show an active transaction.
	 * Begins no transaction.
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
