package io.delayqueue.outbox.jdbc;

import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

import javax.sql.DataSource;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The database transaction of the calling thread, in which the outbox writes rows.
 */
final class CallerTransaction {

	private static final Log logger = LogFactory.getLog(CallerTransaction.class);

	private final OutboxTransactions transactions;

	CallerTransaction(DataSource dataSource) {
		this.transactions = new OutboxTransactions(dataSource);
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
		if (!TransactionSynchronizationManager.isSynchronizationActive() || CommitListener.isCommitting()) {
			throw new IllegalTransactionStateException(
					"The transaction has been committed or rolled back, so nothing would commit the row of the outbox."
							+ " Call the outbox before the commit, for example in a @TransactionalEventListener with"
							+ " phase = BEFORE_COMMIT, or in a transaction of its own:"
							+ " @Transactional(propagation = REQUIRES_NEW)");
		}
		if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
			throw new IllegalTransactionStateException("The outbox cannot write a row in a read-only transaction");
		}
		if (!this.transactions.isActive()) {
			throw new IllegalTransactionStateException(
					"The transaction does not belong to the data source of the outbox."
							+ " Annotate the right data source with @DelayQueueOutboxDataSource, or name its transaction manager in"
							+ " @Transactional; a transaction manager of JPA must expose the JDBC connection of this data source");
		}
	}

	/**
	 * Passes the numbers of written rows to the receiver after the commit of the caller's
	 * transaction.
	 */
	void afterCommit(List<Long> rows, Consumer<Collection<Long>> receiver) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			private boolean wasInTime;

			@Override
			public void beforeCompletion() {
				this.wasInTime = true;
			}

			@Override
			public void afterCommit() {
				this.wasInTime = true;
			}

			@Override
			public void afterCompletion(int status) {
				if (!this.wasInTime) {
					logger.error("Rows " + rows + " of the outbox may be lost: the outbox was called after the commit,"
							+ " and could not detect it, because the transaction manager is not a bean of the application");
				}
				// Spring skips afterCommit if a callback of the application fails
				if (status == STATUS_COMMITTED) {
					receiver.accept(rows);
				}
			}

		});
	}

}
