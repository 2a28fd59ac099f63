package io.delayqueue.test.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.LauncherSessionListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class AwaitilityDefaultsTests {

	private final String limit = System.getProperty(AwaitilityDefaults.LIMIT, "");

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
	void aConditionThatHoldsIsNotWaitedFor() {
		List<Duration> pauses = new ArrayList<>();

		Awaitility.await()
			.conditionEvaluationListener((condition) -> pauses.add(condition.getPollInterval()))
			.until(() -> pauses.size() == 6);

		assertThat(pauses)
			.containsExactly(Stream.of(0, 10, 20, 40, 80, 100, 100).map(Duration::ofMillis).toArray(Duration[]::new));
	}

	@Test
	void jUnitPlatformFindsTheListener() {
		assertThat(ServiceLoader.load(LauncherSessionListener.class))
			.hasAtLeastOneElementOfType(AwaitilityDefaults.class);
	}

	private static void set(String limit) {
		System.setProperty(AwaitilityDefaults.LIMIT, limit);
		ServiceLoader.load(LauncherSessionListener.class).forEach((listener) -> listener.launcherSessionOpened(null));
	}

}
