package io.delayqueue.test;

import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Lets each test method begin with nothing of the one before. */
final class FreshStartTestExecutionListener implements TestExecutionListener {

	@Override
	public void beforeTestMethod(TestContext test) {
		if (test.hasApplicationContext()) {
			ApplicationContext context = test.getApplicationContext();
			context.getBeanProvider(FreshStart.class).ifAvailable(FreshStart::begin);
		}
	}

}
