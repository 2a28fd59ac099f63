package io.delayqueue.example.guides;

import io.delayqueue.DelayedListener;

import org.springframework.stereotype.Component;

@Component
class ReminderListener {

	private final Mailer mailer;

	ReminderListener(Mailer mailer) {
		this.mailer = mailer;
	}

	@DelayedListener(queue = "reminders")
	void remind(Reminder reminder) {
		this.mailer.send(reminder.mail());
	}

	interface Mailer {

		void send(String mail);

	}

	record Reminder(String mail) {
	}

}
