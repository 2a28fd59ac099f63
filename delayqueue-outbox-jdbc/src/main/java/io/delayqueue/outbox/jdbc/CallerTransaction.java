package io.delayqueue.outbox.jdbc;

import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

import javax.sql.DataSource;

import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The database transaction of the calling thread, in which the outbox writes rows.
 */
final class CallerTransaction {

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

			@Override
			public void afterCommit() {
				receiver.accept(rows);
			}

		});
	}

}
