package io.delayqueue.outbox.jdbc;

import java.lang.reflect.Method;
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
import org.springframework.util.Assert;
import org.springframework.util.ReflectionUtils;

/**
 * The transaction of the calling thread, in which rows are written.
 */
final class CallerTransaction {

	private static final Method MARK = mark();

	private final DataSource dataSource;

	CallerTransaction(DataSource dataSource) {
		DataSource target = (dataSource instanceof TransactionAwareDataSourceProxy proxy) ? proxy.getTargetDataSource()
				: null;
		this.dataSource = (target != null) ? target : dataSource;
	}

	/** Spring does not show it. */
	private static Method mark() {
		Method mark = ReflectionUtils.findMethod(ConnectionHolder.class, "isTransactionActive");
		Assert.state(mark != null, "Spring JDBC marks the connections of transactions");
		ReflectionUtils.makeAccessible(mark);
		return mark;
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
	 * bound to the thread, too, but does not belong to that transaction: it commits each
	 * statement, or rolls all back when it returns to a pool that switches auto-commit
	 * off. Spring synchronizes it with the transaction and does not mark it. Transaction
	 * managers of JDBC mark their connections; those of JPA do neither.
	 */
	private static boolean isTransactional(@Nullable Object bound) {
		try {
			return bound instanceof ConnectionHolder holder && (holder.isSynchronizedWithTransaction()
					? isMarked(holder) : !holder.getConnection().getAutoCommit());
		}
		catch (SQLException failure) {
			throw new IllegalTransactionStateException("The connection of the transaction is not usable", failure);
		}
	}

	private static boolean isMarked(ConnectionHolder holder) {
		return Boolean.TRUE.equals(ReflectionUtils.invokeMethod(MARK, holder));
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
