package io.delayqueue;

/**
 * Customizes every message that this application schedules, for example by a header that
 * names the tenant. All beans of this type are called for each request, in their order
 * ({@code @Order}), once: by the thread that calls {@code schedule}, {@code scheduleAll}
 * or {@code scheduleAfterCommit}, and not again when that call is repeated inside the
 * library.
 *
 * <p>
 * What it throws goes to the caller, and nothing is scheduled. Implementations must be
 * safe for use by several threads.
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
