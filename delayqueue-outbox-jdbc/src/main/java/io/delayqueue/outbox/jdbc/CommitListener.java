package io.delayqueue.outbox.jdbc;

import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Marks each transaction whose commit begins, so that the outbox refuses calls from
 * {@code afterCommit} callbacks: for Spring such a transaction is still active, but
 * nothing commits a row that is written now. The mark is a synchronization without an
 * effect, so Spring removes it with the transaction, and suspends it with the
 * transaction.
 */
public final class CommitListener implements TransactionExecutionListener {

	private static final TransactionSynchronization MARK = new TransactionSynchronization() {
	};

	/** Creates a listener, for any number of transaction managers. */
	public CommitListener() {
	}

	@Override
	public void beforeCommit(TransactionExecution transaction) {
		// A transaction inside that of another manager may share its synchronizations
		if (transaction instanceof DefaultTransactionStatus status && status.isNewSynchronization()) {
			TransactionSynchronizationManager.registerSynchronization(MARK);
		}
	}

	/**
	 * Returns whether the commit of the current transaction has begun. All callbacks
	 * before the commit have ended then.
	 */
	static boolean isCommitting() {
		return TransactionSynchronizationManager.getSynchronizations().contains(MARK);
	}

}
