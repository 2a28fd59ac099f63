package io.delayqueue.test.redis;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Sets the limit of Awaitility's waits to the duration that the system property
 * {@value #PROPERTY} gives, for example {@code PT2M}. Without the property, Awaitility's
 * own default stays. The JUnit Platform finds this class by itself.
 */
public final class AwaitilityLimit implements LauncherSessionListener {

	/**
	 * The system property that gives the limit.
	 */
	public static final String PROPERTY = "delayqueue.test.awaitility.limit";

	@Override
	public void launcherSessionOpened(LauncherSession session) {
		String limit = System.getProperty(PROPERTY);
		if (limit != null && !limit.isBlank()) {
			Awaitility.setDefaultTimeout(Duration.parse(limit));
		}
	}

}
