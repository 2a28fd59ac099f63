package io.delayqueue;

/**
 * Customizes every message that this application schedules, for example with a header for
 * the tenant. All beans of this type are called once for each request, in their order
 * ({@code @Order}), by the thread that calls {@code schedule}, {@code scheduleAll} or
 * {@code scheduleAfterCommit}. The beans are not called again when the library repeats a
 * failed call.
 *
 * <p>
 * An exception of a customizer is thrown to the caller, and nothing is scheduled.
 * Implementations must be thread-safe.
 */
@FunctionalInterface
public interface ScheduleRequestCustomizer {

	/**
	 * Customizes a request.
	 * @param request the request
	 * @return a request for the same queue; the call fails with an
	 * {@link InvalidMessageException} if it is {@code null} or names another queue
	 */
	ScheduleRequest customize(ScheduleRequest request);

}
