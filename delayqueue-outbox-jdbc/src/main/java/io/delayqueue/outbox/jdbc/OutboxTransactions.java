package io.delayqueue.outbox.jdbc;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.JdbcTransactionObjectSupport;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * Begins the outbox's own transactions, and detects the transaction of a caller.
 *
 * <p>
 * In contrast to Spring's JDBC transaction managers, this class also detects a
 * transaction of JPA. A transaction manager of JPA binds the connection of its
 * transaction to the thread, but neither marks the connection as transactional nor
 * synchronizes the connection with the transaction. Spring's JDBC transaction managers
 * would begin their transaction on this connection, and would commit the work of JPA with
 * it.
 */
@SuppressWarnings("serial")
final class OutboxTransactions extends JdbcTransactionManager {

	OutboxTransactions(DataSource dataSource) {
		super(dataSource);
	}

	/**
	 * Returns whether a transaction manager has bound a connection to the calling thread
	 * for a transaction of the data source of the outbox. Spring also binds a connection
	 * of this data source to the thread if the thread uses it during a transaction of
	 * another data source. The end of that transaction does not commit the work of the
	 * connection.
	 */
	boolean isActive() {
		return isExistingTransaction(doGetTransaction());
	}

	@Override
	protected boolean isExistingTransaction(Object transaction) {
		return super.isExistingTransaction(transaction) || isOfJpa((JdbcTransactionObjectSupport) transaction);
	}

	private static boolean isOfJpa(JdbcTransactionObjectSupport transaction) {
		return transaction.hasConnectionHolder() && !transaction.getConnectionHolder().isSynchronizedWithTransaction();
	}

}
