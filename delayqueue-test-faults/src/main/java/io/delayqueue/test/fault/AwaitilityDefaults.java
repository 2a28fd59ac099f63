package io.delayqueue.test.fault;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.awaitility.pollinterval.IterativePollInterval;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Lets Awaitility look at once, again after 10 ms, and then less and less often, down to
 * once in 100 ms: most conditions hold soon. Sets the limit of its waits to the duration
 * in the system property {@value #LIMIT}, for example {@code PT2M}. If the property is
 * not set, Awaitility's default applies. The JUnit Platform finds this class
 * automatically.
 */
public final class AwaitilityDefaults implements LauncherSessionListener {

	/** The system property that contains the limit. */
	public static final String LIMIT = "delayqueue.test.awaitility.limit";

	private static final Duration LONGEST = Duration.ofMillis(100);

	@Override
	public void launcherSessionOpened(LauncherSession session) {
		Awaitility.setDefaultPollDelay(Duration.ZERO);
		Awaitility.setDefaultPollInterval(new IterativePollInterval(AwaitilityDefaults::next, Duration.ofMillis(5)));
		String limit = System.getProperty(LIMIT);
		if (limit != null && !limit.isBlank()) {
			Awaitility.setDefaultTimeout(Duration.parse(limit));
		}
	}

	private static Duration next(Duration pause) {
		Duration doubled = pause.multipliedBy(2);
		return (doubled.compareTo(LONGEST) < 0) ? doubled : LONGEST;
	}

}
