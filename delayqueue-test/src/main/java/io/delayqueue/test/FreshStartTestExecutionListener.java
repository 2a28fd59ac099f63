package io.delayqueue.test;

import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/**
 * Removes, before each test method, the keys and recorded deliveries of the previous test
 * method.
 */
final class FreshStartTestExecutionListener implements TestExecutionListener {

	@Override
	public void beforeTestMethod(TestContext test) {
		if (test.hasApplicationContext()) {
			ApplicationContext context = test.getApplicationContext();
			context.getBeanProvider(FreshStart.class).ifAvailable(FreshStart::begin);
		}
	}

}
