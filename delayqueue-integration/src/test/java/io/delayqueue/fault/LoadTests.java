package io.delayqueue.fault;

import java.lang.reflect.Proxy;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.fault.fixture.Ledger;
import io.delayqueue.fault.fixture.Load;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class LoadTests {

	@Test
	void closeThrowsTheFailureThatEndedTheLoad() {
		UnsupportedOperationException broken = new UnsupportedOperationException("broken");
		Thread[] thread = new Thread[1];
		DelayQueueOperations queue = (DelayQueueOperations) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { DelayQueueOperations.class }, (proxy, method, arguments) -> {
					thread[0] = Thread.currentThread();
					throw broken;
				});
		Load load = new Load(queue, "q", new Ledger(), 100);
		Awaitility.await().until(() -> thread[0] != null && !thread[0].isAlive());

		assertThatIllegalStateException().isThrownBy(load::close).withCause(broken);
	}

}
