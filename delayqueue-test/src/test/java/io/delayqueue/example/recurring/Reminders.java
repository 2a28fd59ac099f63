package io.delayqueue.example.recurring;

import java.time.Duration;
import java.time.ZoneId;

import io.delayqueue.OverlapPolicy;
import io.delayqueue.RecurringOperations;
import io.delayqueue.RecurringSchedule;

import org.springframework.stereotype.Component;

/** Schedules that are made at run time. */
@Component
class Reminders {

	private final RecurringOperations recurring;

	Reminders(RecurringOperations recurring) {
		this.recurring = recurring;
	}

	void remindEachMorning(String customer, ZoneId zone) {
		this.recurring.createOrReplace(RecurringSchedule.to("reminders", customer)
			.payload(customer)
			.group(customer)
			.cron("0 0 9 * * *", zone));
	}

	void askUntilItAnswers(String order) {
		this.recurring.createOrReplace(RecurringSchedule.to("reminders", "ask-" + order)
			.payload(order)
			.every(Duration.ofMinutes(5))
			.overlap(OverlapPolicy.SKIP));
	}

	void answered(String order) {
		this.recurring.delete("reminders", "ask-" + order);
	}

}
