package io.delayqueue.lifecycle;

/**
 * The pause after a run of a {@link Task}.
 *
 * @param nanos the longest time until the next run, ns; 0 for a run at once
 * @param worked whether the run did its work; {@code false} if the run could not begin
 * its work, so that it counts neither as a success nor as a failure
 */
public record Pause(long nanos, boolean worked) {

	/**
	 * {@return the pause after a successful run}
	 * @param nanos the longest time until the next run, ns; 0 for a run at once
	 */
	public static Pause of(long nanos) {
		return new Pause(nanos, true);
	}

	/**
	 * {@return the pause after a run that could not begin its work}
	 * @param nanos the longest time until the next run, ns; 0 for a run at once
	 */
	public static Pause untried(long nanos) {
		return new Pause(nanos, false);
	}

}
