package io.delayqueue.example.running;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import io.delayqueue.CancelResult;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.example.running.Exports.Export;
import io.delayqueue.example.running.Exports.Target;
import io.delayqueue.test.DelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import io.delayqueue.test.TestQueues;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/** A handler notices that its message is cancelled, as docs/failures.md shows. */
@DelayQueueTest
class RunningTests {

	@Autowired
	private DelayQueueOperations delayQueue;

	@Autowired
	private DelayQueueTime time;

	@Autowired
	private TestQueues queues;

	@MockitoBean
	private Target target;

	@Test
	void exportThatIsCancelledWritesNoMoreRows() throws Exception {
		AtomicReference<CancelResult> result = new AtomicReference<>();
		willAnswer((call) -> {
			result.set(this.delayQueue.cancel("export", "e-1"));
			return null;
		}).given(this.target).write("a");
		this.delayQueue.schedule(ScheduleRequest.to("export")
			.id("e-1")
			.payload(new Export(List.of("a", "b")))
			.delay(Duration.ofMinutes(1)));
		this.time.advance(Duration.ofMinutes(1));

		assertThat(result).hasValue(CancelResult.IN_FLIGHT);
		verify(this.target).write("a");
		verify(this.target, never()).write("b");
		assertThat(this.queues.queue("export")).hasNo("e-1");
	}

}
