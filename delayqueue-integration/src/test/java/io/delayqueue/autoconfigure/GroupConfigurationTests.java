package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;

import io.delayqueue.autoconfigure.InvalidConfigurationException.Fault;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.GroupOverride;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.delayqueue.autoconfigure.Configured.faults;
import static io.delayqueue.autoconfigure.Configured.settings;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Configuration of groups and of expiry.
 */
class GroupConfigurationTests {

	private static final String ORDERS = "delayqueue.queues.orders.";

	private static final String OVERRIDES = ORDERS + "groups.overrides.";

	@Test
	void groupsAreUnlimitedAndMessagesDoNotExpireByDefault() {
		QueueSettings settings = settings("orders");
		assertThat(settings.groups()).isEqualTo(GroupSettings.NONE);
		assertThat(settings.expiry()).isEqualTo(ExpirySettings.NEVER);
	}

	@Test
	void defaultsApplyToEveryQueue() {
		QueueSettings settings = settings("any", "delayqueue.defaults.group.quota=3",
				"delayqueue.defaults.group.when-full=drop-oldest", "delayqueue.defaults.group.count-dead=true",
				"delayqueue.defaults.group.concurrency=2", "delayqueue.defaults.group.max-active=7",
				"delayqueue.defaults.expiry.after=3m", "delayqueue.defaults.expiry.then=drop");
		assertThat(settings.groups()).isEqualTo(new GroupSettings(3, true, true, 2, 7, null, Map.of()));
		assertThat(settings.expiry()).isEqualTo(new ExpirySettings(Duration.ofMinutes(3), true));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			group.quota       | 9      | 9 | true  | true  | 2 | 7 | 3 | true
			group.when-full   | reject | 3 | false | true  | 2 | 7 | 3 | true
			group.count-dead  | false  | 3 | true  | false | 2 | 7 | 3 | true
			group.concurrency | 9      | 3 | true  | true  | 9 | 7 | 3 | true
			group.max-active  | 9      | 3 | true  | true  | 2 | 9 | 3 | true
			expiry.after      | 9m     | 3 | true  | true  | 2 | 7 | 9 | true
			expiry.then       | dead-letter | 3 | true | true | 2 | 7 | 3 | false
			""")
	void queueSettingReplacesOnlyItsOwnDefault(String property, String value, int quota, boolean dropOldest,
			boolean countDead, int concurrency, int maxActive, int minutes, boolean drop) {
		QueueSettings settings = settings("orders", "delayqueue.defaults.group.quota=3",
				"delayqueue.defaults.group.when-full=drop-oldest", "delayqueue.defaults.group.count-dead=true",
				"delayqueue.defaults.group.concurrency=2", "delayqueue.defaults.group.max-active=7",
				"delayqueue.defaults.expiry.after=3m", "delayqueue.defaults.expiry.then=drop",
				ORDERS + property + "=" + value);
		assertThat(settings.groups())
			.isEqualTo(new GroupSettings(quota, dropOldest, countDead, concurrency, maxActive, null, Map.of()));
		assertThat(settings.expiry()).isEqualTo(new ExpirySettings(Duration.ofMinutes(minutes), drop));
	}

	@Test
	void queueCanDisableTheDefaultQuota() {
		assertThat(settings("orders", "delayqueue.defaults.group.quota=3",
				"delayqueue.defaults.group.when-full=drop-oldest", ORDERS + "group.quota=0")
			.groups()
			.quota()).isZero();
	}

	@Test
	void individualGroupsHaveTheirOwnSettings() {
		assertThat(settings("orders", OVERRIDES + "[game:1].weight=3", OVERRIDES + "[game:1].concurrency=50",
				OVERRIDES + "[game:1].dedicated=true", OVERRIDES + "hot.weight=2", OVERRIDES + "ordered.concurrency=1",
				OVERRIDES + "own.dedicated=true")
			.groups()
			.overrides())
			.isEqualTo(Map.of("game:1", new GroupOverride(3, 50, null, true), "hot",
					new GroupOverride(2, null, null, false), "ordered", new GroupOverride(1, 1, null, false), "own",
					new GroupOverride(1, null, null, true)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "[game:1]", "[a.b]", "[用户 7]", "[a/b]", "User_7-a" })
	void groupKeyIsBoundAsWritten(String key) {
		assertThat(settings("orders", OVERRIDES + key + ".weight=2").groups().overrides())
			.containsOnlyKeys(key.replaceAll("[\\[\\]]", ""));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			[game:1].weight      | 0     | must be from 1 to 100
			[game:1].weight      | 101   | must be from 1 to 100
			[game:1].concurrency | 0     | must be from 1 to 10000
			hot.concurrency      | 10001 | must be from 1 to 10000
			""")
	void faultOfGroupSettingNamesValueAndBounds(String setting, String value, String problem) {
		assertThat(faults(OVERRIDES + setting + "=" + value)).singleElement().satisfies((fault) -> {
			assertThat(fault).hasToString(OVERRIDES + setting + " is '" + value + "' but " + problem);
			assertThat(fault.fix()).contains(OVERRIDES + setting);
		});
	}

	@Test
	void invalidGroupKeyIsReportedWithTheNamingRule() {
		String tooLong = "g".repeat(201);
		assertThat(faults(OVERRIDES + tooLong + ".weight=2", OVERRIDES + "[a\tb].weight=2", OVERRIDES + "ok.weight=2"))
			.satisfiesExactlyInAnyOrder((fault) -> {
				assertThat(fault)
					.hasToString("a group key under delayqueue.queues.orders.groups.overrides is '" + tooLong
							+ "' but must be 1 to 200 code points of well-formed text without control" + " characters");
				assertThat(fault.fix()).contains(OVERRIDES + tooLong);
			}, (fault) -> assertThat(fault.fix()).contains(OVERRIDES + "[a\tb]"));
	}

	@Test
	void emptyGroupOverrideIsAFault() {
		assertThat(faults(OVERRIDES + "hot=")).singleElement().satisfies((fault) -> {
			assertThat(fault).hasToString(
					OVERRIDES + "hot is '' but must have at least one of the properties weight, concurrency, rate-limit"
							+ " and dedicated");
			assertThat(fault.fix()).contains(OVERRIDES + "hot");
		});
	}

	@Test
	void moreThanHundredGroupOverridesAreAFault() {
		String[] most = IntStream.range(0, 100)
			.mapToObj((i) -> OVERRIDES + "g" + i + ".weight=2")
			.toArray(String[]::new);
		assertThat(faults(most)).isEmpty();
		String[] more = IntStream.range(0, 101)
			.mapToObj((i) -> OVERRIDES + "g" + i + ".weight=2")
			.toArray(String[]::new);
		assertThat(faults(more)).singleElement().satisfies((fault) -> {
			assertThat(fault)
				.hasToString("delayqueue.queues.orders.groups.overrides is '101 groups' but must be at most 100");
			assertThat(fault.fix()).contains("delayqueue.queues.orders.groups.overrides");
		});
	}

	@ParameterizedTest
	@CsvSource({ "when-full, drop-oldest", "count-dead, true" })
	void quotaSettingsRequireAQuota(String setting, String value) {
		for (String path : new String[] { "delayqueue.defaults.group.", ORDERS + "group." }) {
			assertThat(faults(path + setting + "=" + value)).singleElement().satisfies((fault) -> {
				assertThat(fault)
					.hasToString(path + setting + " is '" + value + "' but requires a quota, and no quota is set");
				assertThat(fault.fix()).contains("Set " + path + "quota to a value from 1 to 1000000",
						"remove " + path + setting);
			});
			assertThat(faults(path + setting + "=" + value, path + "quota=0")).hasSize(1);
			assertThat(faults(path + setting + "=" + value, path + "quota=1")).isEmpty();
		}
	}

	@ParameterizedTest
	@CsvSource({ "when-full, reject", "count-dead, false" })
	void defaultQuotaSettingsRequireNoQuota(String setting, String value) {
		assertThat(
				faults(ORDERS + "group." + setting + "=" + value, "delayqueue.defaults.group." + setting + "=" + value))
			.isEmpty();
	}

	@Test
	void quotaMayBeSetInDefaultsOrInAQueue() {
		assertThat(faults("delayqueue.defaults.group.quota=3", ORDERS + "group.when-full=drop-oldest")).isEmpty();
		assertThat(faults("delayqueue.defaults.group.when-full=drop-oldest", ORDERS + "group.quota=3")).isEmpty();
	}

	@Test
	void disabledQuotaCountsAsMissing() {
		assertThat(faults("delayqueue.defaults.group.quota=3", ORDERS + "group.quota=0",
				ORDERS + "group.when-full=drop-oldest"))
			.singleElement()
			.extracting(Fault::property)
			.isEqualTo(ORDERS + "group.when-full");
	}

	@Test
	void expiryActionNeedsNoDefaultExpiry() {
		assertThat(settings("orders", ORDERS + "expiry.then=drop").expiry()).isEqualTo(new ExpirySettings(null, true));
	}

	@Test
	void allFaultsAreReportedAtOnce() {
		assertThat(faults("delayqueue.defaults.group.count-dead=true", "delayqueue.defaults.expiry.after=0s",
				ORDERS + "group.quota=0", ORDERS + "group.max-active=0", ORDERS + "group.concurrency=-1",
				ORDERS + "group.when-full=drop-oldest", ORDERS + "expiry.after=x", OVERRIDES + "hot.weight=0",
				OVERRIDES + "hot.concurrency=0", OVERRIDES + "[a.b].weight=0", OVERRIDES + "nothing="))
			.extracting(Fault::property)
			.containsExactlyInAnyOrder("delayqueue.defaults.group.count-dead", "delayqueue.defaults.expiry.after",
					ORDERS + "group.max-active", ORDERS + "group.concurrency", ORDERS + "group.when-full",
					ORDERS + "expiry.after", OVERRIDES + "hot.weight", OVERRIDES + "hot.concurrency",
					OVERRIDES + "[a.b].weight", OVERRIDES + "nothing");
	}

}
