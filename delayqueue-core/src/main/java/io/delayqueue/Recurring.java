package io.delayqueue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Declares a recurring schedule on a {@link DelayedListener} method: messages for the
 * queue of that method are scheduled by a cron expression or at an interval.
 *
 * <pre class="code">
 * &#064;DelayedListener(queue = "digests")
 * &#064;Recurring(key = "daily", cron = "0 0 9 * * *", zone = "Europe/Berlin", payload = "all")
 * void send(String which) {
 * }
 * </pre>
 *
 * <p>
 * Each process declares the annotated schedule when the process starts; Redis stores the
 * schedule once. The schedule belongs to the application that
 * {@code spring.application.name} names, which must be set; processes of other
 * applications never change the schedule. While processes declare the schedule
 * differently, the declaration of the process that has been running for longest counts.
 * If no running process of the application declares the schedule any more, the schedule
 * is suspended (has no further occurrences), until an operator deletes the schedule or a
 * process declares the schedule again. A schedule that an operator has paused stays
 * paused when processes declare the schedule. A declaration does not replace a schedule
 * that was created by a call of {@link RecurringOperations#createOrReplace}.
 *
 * <p>
 * Each text attribute of this annotation supports placeholders ({@code ${...}}) and SpEL
 * ({@code #{...}}).
 *
 * @see RecurringOperations
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Repeatable(Recurring.Schedules.class)
public @interface Recurring {

	/**
	 * The key of the recurring schedule.
	 * @return a name that is unique in the queue: 1 to 150 code points without {@code @}
	 */
	String key();

	/**
	 * The cron expression of the schedule: second, minute, hour, day of the month, month,
	 * weekday.
	 * @return the expression; empty if there is an interval
	 */
	String cron() default "";

	/**
	 * The time zone of the cron expression.
	 * @return the name of a zone, UTC by default
	 */
	String zone() default "UTC";

	/**
	 * The interval between the instants of the schedule, counted from the time at which
	 * the schedule was first stored with this interval.
	 * @return a duration of at least a second, for example {@code 5m}; empty if there is
	 * a cron expression
	 */
	String every() default "";

	/**
	 * The payload of each occurrence.
	 * @return a text, which the payload converter converts to bytes; empty by default
	 */
	String payload() default "";

	/**
	 * Which missed instants of the schedule get an occurrence.
	 * @return the policy
	 */
	MissedPolicy missed() default MissedPolicy.LATEST;

	/**
	 * Whether the schedule gets an occurrence at an instant at which its last occurrence
	 * has not ended.
	 * @return the policy
	 */
	OverlapPolicy overlap() default OverlapPolicy.ALLOW;

	/** Several recurring schedules on one method. */
	@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@Documented
	@interface Schedules {

		/**
		 * The recurring schedules of the method.
		 * @return one schedule or more
		 */
		Recurring[] value();

	}

}
