package io.delayqueue.example.running;

import java.util.List;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;

import org.springframework.stereotype.Component;

@Component
class Exports {

	private final Target target;

	Exports(Target target) {
		this.target = target;
	}

	@DelayedListener(queue = "export", interruptible = true)
	void export(DelayedMessage<Export> message) throws InterruptedException {
		for (String row : message.payload().rows()) {
			if (message.isCancelled()) {
				return;
			}
			this.target.write(row);
		}
	}

	record Export(List<String> rows) {
	}

	interface Target {

		void write(String row) throws InterruptedException;

	}

}
