package io.delayqueue.test.fault;

import java.util.ServiceLoader;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.LauncherSessionListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class AwaitilityLimitTests {

	private final String limit = System.getProperty(AwaitilityLimit.PROPERTY, "");

	@AfterEach
	void setLimit() {
		set(this.limit);
	}

	@Test
	void limitIsReadFromTheProperty() {
		set("PT0.12S");

		assertThatExceptionOfType(ConditionTimeoutException.class)
			.isThrownBy(() -> Awaitility.await().until(() -> false))
			.withMessageContaining("120 milliseconds");
	}

	@Test
	void jUnitPlatformFindsTheListener() {
		assertThat(ServiceLoader.load(LauncherSessionListener.class)).hasAtLeastOneElementOfType(AwaitilityLimit.class);
	}

	private static void set(String limit) {
		System.setProperty(AwaitilityLimit.PROPERTY, limit);
		ServiceLoader.load(LauncherSessionListener.class).forEach((listener) -> listener.launcherSessionOpened(null));
	}

}
