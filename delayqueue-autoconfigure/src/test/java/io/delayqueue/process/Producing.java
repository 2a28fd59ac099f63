package io.delayqueue.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.process.Journal.Writer;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;

/**
 * An application that schedules one message after the other and says which were accepted,
 * until it is killed.
 */
@Configuration(proxyBeanMethods = false)
@LibraryOnly
class Producing {

	private static final Duration DELAY = Duration.ofMillis(500);

	public static void main(String[] arguments) {
		Writer journal = Writer.to(Path.of(arguments[0]), arguments[1]);
		DelayQueueOperations queues = new SpringApplicationBuilder(Producing.class).web(WebApplicationType.NONE)
			.run(Arrays.copyOfRange(arguments, 2, arguments.length))
			.getBean(DelayQueueOperations.class);
		journal.add(WorkerProcess.READY, "-", 0, "-");
		for (int i = 0;; i++) {
			queues.schedule(ScheduleRequest.to("work").payload("p-" + i + " done").delay(DELAY));
			journal.add("accepted", "p-" + i, 0, "-");
		}
	}

}
