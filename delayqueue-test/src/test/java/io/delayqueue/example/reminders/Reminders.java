package io.delayqueue.example.reminders;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.ScheduleRequest;

import org.springframework.stereotype.Component;

@Component
class Reminders {

	private static final LocalTime NINE = LocalTime.of(9, 0);

	private final DelayQueueOperations delayQueue;

	private final Subscriptions subscriptions;

	private final Mailer mailer;

	private final Clock clock;

	Reminders(DelayQueueOperations delayQueue, Subscriptions subscriptions, Mailer mailer, Clock clock) {
		this.delayQueue = delayQueue;
		this.subscriptions = subscriptions;
		this.mailer = mailer;
		this.clock = clock;
	}

	static ScheduleRequest of(Reminder reminder) {
		Instant nine = reminder.day().atTime(NINE).atZone(reminder.zone()).toInstant();
		return ScheduleRequest.to("reminders")
			.id(reminder.user() + "-" + reminder.day())
			.group(reminder.user())
			.payload(reminder)
			.dueAt(nine)
			.expireAfter(Duration.ofHours(3));
	}

	void subscribe(String user, ZoneId zone) {
		LocalDate tomorrow = LocalDate.now(this.clock.withZone(zone)).plusDays(1);
		this.delayQueue.schedule(of(new Reminder(user, zone, tomorrow)));
	}

	@DelayedListener(queue = "reminders")
	void remind(DelayedMessage<Reminder> message) {
		Reminder reminder = message.payload();
		if (!this.subscriptions.isActive(reminder.user())) {
			return;
		}
		this.delayQueue.schedule(of(next(reminder)));
		this.mailer.remind(reminder.user(), message.id());
	}

	@DelayedListener(queue = "reminders", expired = true)
	void skip(Reminder reminder) {
		if (this.subscriptions.isActive(reminder.user())) {
			this.delayQueue.schedule(of(next(reminder)));
		}
	}

	private Reminder next(Reminder reminder) {
		ZonedDateTime now = this.clock.instant().atZone(reminder.zone());
		LocalDate soonest = now.toLocalDate().plusDays(now.toLocalTime().isBefore(NINE) ? 0 : 1);
		LocalDate following = reminder.day().plusDays(1);
		return new Reminder(reminder.user(), reminder.zone(), soonest.isAfter(following) ? soonest : following);
	}

	interface Subscriptions {

		boolean isActive(String user);

	}

	interface Mailer {

		void remind(String user, String idempotencyKey);

	}

}
