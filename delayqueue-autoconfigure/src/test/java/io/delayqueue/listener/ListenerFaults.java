package io.delayqueue.listener;

import java.util.List;

import io.delayqueue.listener.DelayedListenerDefinitionException.Fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * What is said about applications that do not start because of their listeners.
 */
final class ListenerFaults {

	private ListenerFaults() {
	}

	static Fault onlyFault(Class<?>... beans) {
		List<Fault> faults = faults(beans);
		assertThat(faults).hasSize(1);
		return faults.get(0);
	}

	static List<Fault> faults(Class<?>... beans) {
		return fail(beans).faults();
	}

	static DelayedListenerDefinitionException fail(Class<?>... beans) {
		DelayedListenerDefinitionException exception = catchThrowableOfType(DelayedListenerDefinitionException.class,
				() -> ListenerApplication.start(beans));
		assertThat(exception).isNotNull();
		return exception;
	}

}
