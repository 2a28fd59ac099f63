package io.delayqueue.queue;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.delayqueue.BackOffPolicy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class GroupSettingsTests {

	private static final int CONTAINER = 10;

	@Test
	void defaultShareIsTwiceContainerConcurrency() {
		assertThat(GroupSettings.NONE.limitOf("any", CONTAINER)).isEqualTo(2 * CONTAINER);
	}

	@Test
	void configuredShareIsUsed() {
		assertThat(settings(0, 7, Map.of()).limitOf("any", CONTAINER)).isEqualTo(7);
	}

	@Test
	void lowerOfConcurrencyAndShareIsLimit() {
		assertThat(settings(3, 7, Map.of()).limitOf("any", CONTAINER)).isEqualTo(3);
		assertThat(settings(9, 7, Map.of()).limitOf("any", CONTAINER)).isEqualTo(7);
		assertThat(settings(50, null, Map.of()).limitOf("any", CONTAINER)).isEqualTo(2 * CONTAINER);
	}

	@Test
	void weightMultipliesOnlyShareOfItsGroup() {
		GroupSettings settings = settings(0, 7, Map.of("hot", new GroupOverride(3, null, null, false)));
		assertThat(settings.limitOf("hot", CONTAINER)).isEqualTo(21);
		assertThat(settings.limitOf("any", CONTAINER)).isEqualTo(7);
	}

	@Test
	void weightDoesNotMultiplyConcurrency() {
		GroupSettings settings = settings(5, 4, Map.of("hot", new GroupOverride(100, null, null, false)));
		assertThat(settings.limitOf("hot", CONTAINER)).isEqualTo(5);
	}

	@Test
	void groupConcurrencyOverridesQueueConcurrency() {
		GroupSettings settings = settings(3, 7, Map.of("hot", new GroupOverride(1, 5, null, false)));
		assertThat(settings.limitOf("hot", CONTAINER)).isEqualTo(5);
		assertThat(settings.limitOf("any", CONTAINER)).isEqualTo(3);
	}

	@Test
	void dedicatedWorkersAreLimitedOnlyByGroupConcurrency() {
		GroupSettings settings = settings(0, 7,
				Map.of("own", new GroupOverride(1, 50, null, true), "shared", new GroupOverride(1, 50, null, false)));
		assertThat(settings.limitOf("own", CONTAINER)).isEqualTo(50);
		assertThat(settings.limitOf("shared", CONTAINER)).isEqualTo(7);
	}

	@Test
	void largestWeightTimesLargestShareDoesNotOverflow() {
		GroupSettings settings = settings(0, 100_000, Map.of("hot", new GroupOverride(100, null, null, false)));
		assertThat(settings.limitOf("hot", CONTAINER)).isEqualTo(10_000_000);
	}

	@Test
	void onlyConcurrencyOfOneIsStrict() {
		GroupSettings strict = settings(1, null, Map.of("wide", new GroupOverride(1, 2, null, false)));
		assertThat(strict.isStrict("any")).isTrue();
		assertThat(strict.isStrict("wide")).isFalse();
		GroupSettings wide = settings(2, 1, Map.of("ordered", new GroupOverride(1, 1, null, false)));
		assertThat(wide.isStrict("any")).isFalse();
		assertThat(wide.isStrict("ordered")).isTrue();
		assertThat(GroupSettings.NONE.isStrict("any")).isFalse();
	}

	@Test
	void allFaultsAreReportedTogether() {
		GroupSettings groups = new GroupSettings(1_000_001, true, true, -1, 0, null,
				Map.of("hot", new GroupOverride(101, 0, null, false)));
		assertThatIllegalArgumentException().isThrownBy(() -> queue(groups, new ExpirySettings(Duration.ZERO, false)))
			.withMessageContainingAll("Queue 'orders'", "group.quota is 1000001 but must be from 0 to 1000000",
					"group.concurrency is -1 but must be from 0 to 10000",
					"group.max-active is 0 but must be from 1 to 100000",
					"groups.overrides.[hot].weight is 101 but must be from 1 to 100",
					"groups.overrides.[hot].concurrency is 0 but must be from 1 to 10000",
					"expiry.after is 0s but must be from 1ms to 3650d");
	}

	@Test
	void moreThan100OverridesAreRejected() {
		GroupOverride override = new GroupOverride(2, null, null, false);
		Map<String, GroupOverride> most = IntStream.range(0, 100)
			.boxed()
			.collect(Collectors.toMap(String::valueOf, (i) -> override));
		assertThat(queue(settings(0, null, most), ExpirySettings.NEVER).groups().overrides()).hasSize(100);
		most.put("one more", override);
		assertThatIllegalArgumentException().isThrownBy(() -> queue(settings(0, null, most), ExpirySettings.NEVER))
			.withMessageContaining("groups.overrides has 101 keys but must have at most 100");
	}

	@Test
	void withConcurrencyKeepsOtherSettings() {
		GroupSettings groups = settings(3, 7, Map.of());
		ExpirySettings expiry = new ExpirySettings(Duration.ofMinutes(3), true);
		QueueSettings changed = queue(groups, expiry).withConcurrency(4);
		assertThat(changed.concurrency()).isEqualTo(4);
		assertThat(changed.groups()).isEqualTo(groups);
		assertThat(changed.expiry()).isEqualTo(expiry);
	}

	private static GroupSettings settings(int concurrency, @Nullable Integer maxActive,
			Map<String, GroupOverride> overrides) {
		return new GroupSettings(0, false, false, concurrency, maxActive, null, overrides);
	}

	private static QueueSettings queue(GroupSettings groups, ExpirySettings expiry) {
		Duration minute = Duration.ofMinutes(1);
		return new QueueSettings("orders", 1, CONTAINER, minute, minute, 1000, minute, minute,
				new RetrySettings(1, 1, 1, 1, minute, BackOffPolicy.fixed(minute), Set.of()), groups, expiry,
				FlowSettings.NONE, EndSettings.NONE);
	}

}
