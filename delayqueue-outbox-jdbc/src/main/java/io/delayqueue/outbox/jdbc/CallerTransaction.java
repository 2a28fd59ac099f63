package io.delayqueue.outbox.jdbc;

import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The transaction of the calling thread, in which rows are written.
 */
final class CallerTransaction {

	private final DataSource dataSource;

	CallerTransaction(DataSource dataSource) {
		DataSource target = (dataSource instanceof TransactionAwareDataSourceProxy proxy) ? proxy.getTargetDataSource()
				: null;
		this.dataSource = (target != null) ? target : dataSource;
	}

	/** Checks that a row can be written. Sends no statement. */
	void require() {
		if (!TransactionSynchronizationManager.isActualTransactionActive()) {
			throw new IllegalTransactionStateException(
					"The outbox needs a transaction. Annotate the caller with @Transactional, or use DelayQueueOperations");
		}
		if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
			throw new IllegalTransactionStateException("The outbox cannot write a row in a read-only transaction");
		}
		if (!isTransactional(TransactionSynchronizationManager.getResource(this.dataSource))) {
			throw new IllegalTransactionStateException("The transaction is not one of the data source of the outbox."
					+ " Annotate the right data source with @DelayQueueOutboxDataSource, or name its transaction manager in"
					+ " @Transactional; a transaction manager of JPA must expose the JDBC connection of this data source");
		}
	}

	/**
	 * A connection that was only used within a transaction of another data source is
	 * bound to the thread, too, but commits each statement. Transaction managers of JPA
	 * do not mark their connections, so the mark of the holder is no criterion.
	 */
	private static boolean isTransactional(@Nullable Object bound) {
		try {
			return bound instanceof ConnectionHolder holder && !holder.getConnection().getAutoCommit();
		}
		catch (SQLException failure) {
			throw new IllegalTransactionStateException("The connection of the transaction is not usable", failure);
		}
	}

	/** Hands rows over after the commit. */
	void afterCommit(List<Long> rows, Consumer<Collection<Long>> receiver) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				receiver.accept(rows);
			}

		});
	}

}
