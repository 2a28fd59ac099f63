package io.delayqueue;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RecurrenceTests {

	private static final Instant STORED = Instant.parse("2026-01-01T00:00:00.123Z");

	private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

	@ParameterizedTest
	@CsvSource({ "0 0 22 * * *,America/Nuuk,2027-03-27T22:00,1", "0 30 22 * * *,America/Nuuk,2027-03-28T22:30,1",
			"0 45 3 * * *,Pacific/Chatham,2027-09-26T03:45,1", "0 0 3 * * *,Pacific/Chatham,2027-09-26T03:00,0",
			"0 45 1 * * *,Australia/Lord_Howe,2027-04-04T01:45,2",
			"0 15 1 * * *,Australia/Lord_Howe,2027-04-04T01:15,1", "0 0 1 * * *,Antarctica/Troll,2027-10-31T01:00,2",
			"0 0 2 * * *,Antarctica/Troll,2027-10-31T02:00,2", "0 15 0 * * *,America/Havana,2027-11-07T00:15,2",
			"0 0 */2 * * *,Africa/Cairo,2027-04-30T02:00,1" })
	void aLocalTimeHasAsManyInstantsAsClocksShowIt(String cron, ZoneId zone, LocalDateTime local, int times) {
		Recurrence recurrence = new Recurrence(cron, zone, null, null, null);
		Instant noon = local.toLocalDate().minusDays(1).atTime(12, 0).atZone(zone).toInstant();
		assertThat(recurrence.upcoming(noon, STORED, 50))
			.filteredOn((instant) -> LocalDateTime.ofInstant(instant, zone).equals(local))
			.hasSize(times);
	}

	@Test
	void aLocalTimeThatIsAlwaysSkippedHasNoFurtherInstant() {
		Recurrence recurrence = new Recurrence("0 30 2 * 3 SUNL", BERLIN, null, null, null);
		assertThat(recurrence.next(STORED, STORED)).isEmpty();
		ZoneId always = ZoneId.of("Africa/Cairo");
		assertThat(new Recurrence("0 30 0 * 4 FRIL", always, null, null, null).next(STORED, STORED)).isEmpty();
	}

	@Test
	void instantsAroundChangesOfClocksAreThoseOfEachMinute() {
		long seed = System.nanoTime();
		Random random = new Random(seed);
		List<ZoneId> zones = zonesThatChange();
		for (int round = 0; round < 300; round++) {
			ZoneId zone = zones.get(random.nextInt(zones.size()));
			List<ZoneOffsetTransition> changes = changes(zone);
			checkEachMinute(zone, changes.get(random.nextInt(changes.size())), random, "seed " + seed);
		}
	}

	@Test
	@Tag("slow")
	void instantsAroundAllChangesOfClocksAreThoseOfEachMinute() {
		Random random = new Random(1);
		for (ZoneId zone : zonesThatChange()) {
			for (ZoneOffsetTransition change : changes(zone)) {
				for (int round = 0; round < 5; round++) {
					checkEachMinute(zone, change, random, "round " + round);
				}
			}
		}
	}

	/** Returns one zone for each set of rules under which clocks change from 2024 on. */
	private static List<ZoneId> zonesThatChange() {
		Map<ZoneRules, ZoneId> zones = new HashMap<>();
		new TreeSet<>(ZoneId.getAvailableZoneIds()).stream()
			.map(ZoneId::of)
			.filter((zone) -> !changes(zone).isEmpty())
			.forEach((zone) -> zones.putIfAbsent(zone.getRules(), zone));
		return zones.values().stream().sorted(Comparator.comparing(ZoneId::getId)).toList();
	}

	private static List<ZoneOffsetTransition> changes(ZoneId zone) {
		Instant end = Instant.parse("2036-01-01T00:00:00Z");
		return Stream
			.iterate(zone.getRules().nextTransition(Instant.parse("2024-01-01T00:00:00Z")),
					(change) -> change != null && change.getInstant().isBefore(end),
					(change) -> zone.getRules().nextTransition(change.getInstant()))
			.toList();
	}

	/**
	 * Compares the instants of a random expression in two days around a change of the
	 * clocks with those minutes whose local time matches.
	 */
	private static void checkEachMinute(ZoneId zone, ZoneOffsetTransition change, Random random, String as) {
		int step = List.of(1, 5, 15, 30, 60).get(random.nextInt(5));
		int minute = random.nextInt(step);
		int hour = random.nextInt(24);
		boolean eachHour = random.nextBoolean();
		DayOfWeek day = DayOfWeek.of(1 + random.nextInt(7));
		boolean eachDay = random.nextInt(4) > 0;
		String cron = "0 " + minute + "/" + step + " " + (eachHour ? "*" : hour) + " * * "
				+ (eachDay ? "*" : day.name().substring(0, 3));
		Instant end = change.getInstant().plus(Duration.ofHours(24));
		Instant begin = change.getInstant().minus(Duration.ofHours(24)).minusMillis(random.nextInt(60_000));
		List<Instant> expected = Stream
			.iterate(change.getInstant().minus(Duration.ofHours(24)), (at) -> !at.isAfter(end),
					(at) -> at.plus(Duration.ofMinutes(1)))
			.filter((at) -> {
				LocalDateTime local = LocalDateTime.ofInstant(at, zone);
				return local.getMinute() % step == minute && (eachHour || local.getHour() == hour)
						&& (eachDay || local.getDayOfWeek() == day);
			})
			.toList();
		Recurrence recurrence = new Recurrence(cron, zone, null, null, end);
		List<Instant> instants = new ArrayList<>();
		Optional<Instant> at = recurrence.next(begin.minusNanos(1), STORED);
		while (at.isPresent()) {
			instants.add(at.get());
			at = recurrence.next(at.get(), STORED);
		}
		assertThat(instants).as("'%s' in %s at %s, %s", cron, zone, change, as).isEqualTo(expected);
	}

	@Test
	void theInstantsDoNotDependOnWhereTheComputationBegins() {
		Recurrence recurrence = new Recurrence("0 30 2 * * *", BERLIN, null, null, null);
		List<Instant> chained = recurrence.upcoming(STORED, STORED, 400);
		for (int n = 1; n < chained.size(); n++) {
			Instant before = chained.get(n - 1);
			for (long minutes = 1; minutes < 24 * 60; minutes += 97) {
				Instant begin = before.plus(Duration.ofMinutes(minutes));
				if (begin.isBefore(chained.get(n))) {
					assertThat(recurrence.next(begin, STORED)).contains(chained.get(n));
				}
			}
		}
	}

	@Test
	void aGapHasNoInstantAndAnOverlapHasTwo() {
		Recurrence recurrence = new Recurrence("0 30 2 * * *", BERLIN, null, null, null);
		List<Instant> instants = recurrence.upcoming(STORED, STORED, 400);
		assertThat(instants).extracting((instant) -> instant.atZone(BERLIN).toLocalTime())
			.containsOnly(LocalTime.of(2, 30));
		assertThat(instants).extracting((instant) -> instant.atZone(BERLIN).toLocalDate().toString())
			.doesNotContain("2026-03-29")
			.containsSubsequence("2026-10-25", "2026-10-25");
	}

	@ParameterizedTest
	@CsvSource({ "0 0 * * * *,Australia/Lord_Howe,2027-04-03T14:00:00Z",
			"0 0 1 * * *,Australia/Lord_Howe,2027-04-03T14:10:00Z", "0 0 * * * *,Pacific/Chatham,2027-04-03T13:00:00Z",
			"0 */10 * * * *,Pacific/Chatham,2027-04-03T13:10:00Z" })
	void theNextInstantFollowsWhereClocksChangeByPartsOfHours(String cron, ZoneId zone, Instant around) {
		Recurrence recurrence = new Recurrence(cron, zone, null, null, null);
		for (long minutes = -120; minutes <= 120; minutes += 5) {
			Instant after = around.plus(Duration.ofMinutes(minutes));
			assertThat(recurrence.next(after, STORED)).hasValueSatisfying((next) -> assertThat(next).isAfter(after));
		}
		assertThat(recurrence.upcoming(around.minusSeconds(7200), STORED, 30)).isSorted().doesNotHaveDuplicates();
	}

	@Test
	void anIntervalHasItsAnchor() {
		Recurrence hourly = new Recurrence(null, null, Duration.ofHours(1), null, null);
		assertThat(hourly.upcoming(STORED, STORED, 2)).containsExactly(Instant.parse("2026-01-01T01:00:00.123Z"),
				Instant.parse("2026-01-01T02:00:00.123Z"));
		assertThat(hourly.next(Instant.parse("2025-01-01T00:00:00Z"), STORED))
			.contains(Instant.parse("2026-01-01T01:00:00.123Z"));
		Instant from = Instant.parse("2026-01-01T00:10:00Z");
		Recurrence bounded = new Recurrence(null, null, Duration.ofHours(1), from, from.plusSeconds(7200));
		assertThat(bounded.upcoming(STORED, STORED, 10)).containsExactly(from, from.plusSeconds(3600),
				from.plusSeconds(7200));
		assertThat(bounded.next(from.minusMillis(1), STORED)).contains(from);
		assertThat(bounded.next(from, STORED)).contains(from.plusSeconds(3600));
	}

	@Test
	void aCronExpressionBeginsWithFromAndEndsWithUntil() {
		Instant from = Instant.parse("2026-01-05T09:00:00Z");
		Recurrence recurrence = new Recurrence("0 0 9 * * *", ZoneId.of("UTC"), null, from,
				from.plus(Duration.ofDays(1)));
		assertThat(recurrence.upcoming(STORED, STORED, 10)).containsExactly(from, from.plus(Duration.ofDays(1)));
	}

	@ParameterizedTest
	@MethodSource
	void badInputIsRefusedByName(String field, Supplier<Object> call) {
		assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(call::get)
			.satisfies((refused) -> assertThat(refused.field()).isEqualTo(field));
	}

	static Stream<Arguments> badInputIsRefusedByName() {
		RecurringSchedule schedule = RecurringSchedule.to("q", "k");
		Instant now = STORED;
		return Stream.of(refusal("cron", () -> schedule.cron("0 0 0 31 2 *", "UTC")),
				refusal("cron", () -> schedule.cron("every day", "UTC")),
				refusal("cron", () -> schedule.cron("0 0 9 * * *", "UTC").every(Duration.ofHours(1))),
				refusal("cron", schedule::recurrence),
				refusal("zone", () -> schedule.cron("0 0 9 * * *", "Europe/Atlantis")),
				refusal("every", () -> schedule.every(Duration.ofMillis(999))),
				refusal("every", () -> schedule.every(Duration.ofDays(3651))),
				refusal("from", () -> schedule.from(now).until(now.minusMillis(1))),
				refusal("from", () -> schedule.until(now).every(Duration.ofHours(1)).from(now.plusSeconds(1))),
				refusal("key", () -> RecurringSchedule.to("q", "")),
				refusal("key", () -> RecurringSchedule.to("q", "a@b")),
				refusal("key", () -> RecurringSchedule.to("q", "k".repeat(151))),
				refusal("queue", () -> RecurringSchedule.to("no queue", "k")));
	}

	private static Arguments refusal(String field, Supplier<Object> call) {
		return Arguments.of(field, call);
	}

	@Test
	void aDefinitionShowsNoPayload() {
		RecurringSchedule schedule = RecurringSchedule.to("q", "k")
			.payload("secret-1")
			.header("h", "secret-2")
			.cron("0 0 9 * * *", "UTC");
		assertThat(schedule).hasToString(schedule.toString()).isEqualTo(schedule.missed(MissedPolicy.LATEST));
		assertThat(schedule.toString()).doesNotContain("secret");
		assertThat(schedule.recurrence()).hasToString("cron '0 0 9 * * *' in UTC");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "a@b", "a\n" })
	void aKeyIsRefusedWithItsBound(String key) {
		assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(() -> RecurringSchedule.to("q", key))
			.withMessageContaining(
					"must be 1 to 150 code points of well-formed text without control characters and without @");
	}

}
