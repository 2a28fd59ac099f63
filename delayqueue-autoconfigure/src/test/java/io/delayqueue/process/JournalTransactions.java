package io.delayqueue.process;

import io.delayqueue.process.Journal.Writer;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Transactions that do nothing but to say in the journal how they ended.
 */
final class JournalTransactions extends AbstractPlatformTransactionManager {

	private final transient Writer journal;

	JournalTransactions(Writer journal) {
		this.journal = journal;
	}

	@Override
	protected Object doGetTransaction() {
		return new Object();
	}

	@Override
	protected void doBegin(Object transaction, TransactionDefinition definition) {
	}

	@Override
	protected void doCommit(DefaultTransactionStatus status) {
		this.journal.add("commit", String.valueOf(TransactionSynchronizationManager.getCurrentTransactionName()), 0,
				"-");
	}

	@Override
	protected void doRollback(DefaultTransactionStatus status) {
		this.journal.add("rollback", String.valueOf(TransactionSynchronizationManager.getCurrentTransactionName()), 0,
				"-");
	}

}
