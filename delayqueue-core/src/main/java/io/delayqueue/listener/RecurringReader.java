package io.delayqueue.listener;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.DelayedListener;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.Recurring;
import io.delayqueue.RecurringSchedule;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Reads the recurring schedules that listener methods declare. Thread-safe.
 */
final class RecurringReader {

	private static final String APPLICATION = "spring.application.name";

	private final ConfigurableBeanFactory beanFactory;

	private final Map<String, String> claims = new ConcurrentHashMap<>();

	RecurringReader(ConfigurableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	/**
	 * Reads the schedules of these beans.
	 * @param beans the beans
	 * @param faults receives the faults
	 * @return the schedules; complete only if there are no faults
	 */
	List<RecurringSchedule> read(Collection<ListenerBean> beans, Faults faults) {
		List<RecurringSchedule> schedules = new ArrayList<>();
		for (ListenerBean bean : beans) {
			bean.methods().forEach((method, listener) -> {
				Set<Recurring> declared = AnnotatedElementUtils.findMergedRepeatableAnnotations(method, Recurring.class,
						Recurring.Schedules.class);
				if (!declared.isEmpty()) {
					read(bean, method, listener, declared, faults, schedules);
				}
			});
		}
		return schedules;
	}

	private void read(ListenerBean bean, Method method, DelayedListener listener, Set<Recurring> declared,
			Faults faults, List<RecurringSchedule> schedules) {
		Faults.OfMethod ofMethod = faults.of(bean.name(), ListenerBean.describe(bean.type(), method));
		String application = this.beanFactory.resolveEmbeddedValue("${" + APPLICATION + ":}");
		if (application == null || application.isBlank()) {
			ofMethod.method("declares a recurring schedule, but " + APPLICATION + " is not set",
					"Set " + APPLICATION + ": declared schedules belong to an application");
		}
		if (listener.expired()) {
			ofMethod.method("declares a recurring schedule, but handles expired messages only",
					"Declare it on the other listener method of the queue");
			return;
		}
		ListenerValues values = new ListenerValues(this.beanFactory, bean.bean());
		for (Recurring recurring : declared) {
			for (RecurringSchedule schedule : schedules(values, listener, recurring, ofMethod)) {
				String first = this.claims.putIfAbsent(schedule.queue() + " " + schedule.key(),
						ofMethod.method() + " of bean '" + bean.name() + "'");
				if (first != null) {
					ofMethod.attribute("key", schedule.key(), "is already declared by " + first,
							"Give one of them another key");
				}
				schedules.add(schedule);
			}
		}
	}

	/** Returns a schedule for each queue of the listener, none if there is a fault. */
	private static List<RecurringSchedule> schedules(ListenerValues values, DelayedListener listener,
			Recurring recurring, Faults.OfMethod faults) {
		try {
			return Arrays.stream(listener.queue())
				.flatMap((queue) -> values.texts(queue).stream())
				.map((queue) -> schedule(values, queue, recurring))
				.toList();
		}
		catch (InvalidMessageException invalid) {
			faults.method("declares a recurring schedule that is not valid: " + invalid.getMessage(),
					"Correct '" + invalid.field() + "' of @Recurring");
		}
		catch (RuntimeException unresolved) {
			faults.method("declares a recurring schedule that cannot be read: " + unresolved.getMessage(),
					"Correct @Recurring, or define the property that it names");
		}
		return List.of();
	}

	private static RecurringSchedule schedule(ListenerValues values, String queue, Recurring recurring) {
		RecurringSchedule schedule = RecurringSchedule.to(queue, values.text(recurring.key()))
			.payload(values.text(recurring.payload()))
			.missed(recurring.missed())
			.overlap(recurring.overlap());
		String cron = values.text(recurring.cron());
		String every = values.text(recurring.every());
		if (!cron.isEmpty()) {
			schedule = schedule.cron(cron, values.text(recurring.zone()));
		}
		if (!every.isEmpty()) {
			schedule = schedule.every(DurationFormatterUtils.detectAndParse(every));
		}
		schedule.recurrence();
		return schedule;
	}

	/** Releases the keys that methods of a bean that is removed have declared. */
	void release(String bean) {
		this.claims.values().removeIf((method) -> method.endsWith(" of bean '" + bean + "'"));
	}

	/** Releases the keys of these schedules, so that methods can declare them again. */
	void release(Collection<RecurringSchedule> schedules) {
		schedules.forEach((schedule) -> this.claims.remove(schedule.queue() + " " + schedule.key()));
	}

}
