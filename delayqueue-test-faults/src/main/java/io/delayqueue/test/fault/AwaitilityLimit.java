package io.delayqueue.test.fault;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Sets the limit of Awaitility's waits to the duration in the system property
 * {@value #PROPERTY}, for example {@code PT2M}. If the property is not set, Awaitility's
 * default applies. The JUnit Platform finds this class automatically.
 */
public final class AwaitilityLimit implements LauncherSessionListener {

	/** The system property that contains the limit. */
	public static final String PROPERTY = "delayqueue.test.awaitility.limit";

	@Override
	public void launcherSessionOpened(LauncherSession session) {
		String limit = System.getProperty(PROPERTY);
		if (limit != null && !limit.isBlank()) {
			Awaitility.setDefaultTimeout(Duration.parse(limit));
		}
	}

}
