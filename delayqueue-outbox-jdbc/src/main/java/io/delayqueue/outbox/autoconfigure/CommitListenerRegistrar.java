package io.delayqueue.outbox.autoconfigure;

import io.delayqueue.outbox.jdbc.CommitListener;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;

/**
 * Adds the listener of the outbox to all transaction managers of the application.
 */
class CommitListenerRegistrar implements BeanPostProcessor {

	private final CommitListener listener = new CommitListener();

	@Override
	public Object postProcessAfterInitialization(Object bean, String name) {
		if (bean instanceof ConfigurableTransactionManager manager) {
			manager.addListener(this.listener);
		}
		return bean;
	}

}
