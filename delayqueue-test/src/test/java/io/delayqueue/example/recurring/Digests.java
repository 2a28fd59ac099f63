package io.delayqueue.example.recurring;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.delayqueue.DelayedListener;
import io.delayqueue.Recurring;

import org.springframework.stereotype.Component;

/** Sends a digest each morning. */
@Component
class Digests {

	final List<String> sent = new CopyOnWriteArrayList<>();

	@DelayedListener(queue = "digests")
	@Recurring(key = "daily", cron = "0 0 9 * * *", zone = "Europe/Berlin", payload = "all")
	void send(String readers) {
		this.sent.add(readers);
	}

	@DelayedListener(queue = "reminders")
	void remind(String text) {
		this.sent.add(text);
	}

}
