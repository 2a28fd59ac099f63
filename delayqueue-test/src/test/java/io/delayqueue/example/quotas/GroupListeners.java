package io.delayqueue.example.quotas;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;

import org.springframework.stereotype.Component;

@Component
class GroupListeners {

	private final Work work;

	GroupListeners(Work work) {
		this.work = work;
	}

	@DelayedListener(queue = "timeline")
	void append(DelayedMessage<String> entry) {
		this.work.append(entry.group().orElseThrow(), entry.payload());
	}

	@DelayedListener(queue = "export")
	void export(DelayedMessage<String> message) {
		this.work.export(message.group().orElseThrow(), message.payload());
	}

	interface Work {

		void append(String user, String text);

		void export(String tenant, String table);

	}

}
