package io.delayqueue;

/**
 * Customizes every message that this application schedules, for example with a header for
 * the tenant. The library calls all beans of this type once for each request, in their
 * order ({@code @Order}), on the thread that calls {@code schedule}, {@code scheduleAll}
 * or {@code scheduleAfterCommit}. The library does not call the customizers again when it
 * repeats a failed call to Redis.
 *
 * <p>
 * If a customizer throws an exception, the call that schedules throws this exception, and
 * nothing is scheduled. Implementations must be thread-safe.
 */
@FunctionalInterface
public interface ScheduleRequestCustomizer {

	/**
	 * Customizes a request to schedule a message.
	 * @param request the request
	 * @return a request for the same queue; if this method returns {@code null} or a
	 * request for another queue, the call that schedules fails with an
	 * {@link InvalidMessageException}
	 */
	ScheduleRequest customize(ScheduleRequest request);

}
