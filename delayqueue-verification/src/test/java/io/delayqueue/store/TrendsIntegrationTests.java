package io.delayqueue.store;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

import io.delayqueue.store.Trends.Point;
import io.delayqueue.store.Trends.Span;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class TrendsIntegrationTests {

	@RegisterExtension
	final TestPartition partition = TestPartition.shared();

	private final RedisCalls calls = this.partition.store().calls();

	private final String queue = this.partition.store().partition().queue();

	private final Trends trends = new Trends(this.calls);

	@ParameterizedTest
	@EnumSource
	void theFiguresOfAllProcessesAreAddedUpAndARepeatCountsOnce(Span span) {
		assertThat(this.trends.find(this.queue, span)).isEmpty();

		this.trends.add(this.queue, 1, Map.of("h", 2L, "l20", 2L, "m", 30L, "w", 5L));
		this.trends.add(this.queue, 1, Map.of("h", 2L, "l20", 2L, "m", 30L, "w", 5L));
		this.trends.add(this.queue, 2, Map.of("h", 3L, "f", 1L, "m", 10L, "w", 4L));
		run("another", 1, "h", "10", "m", "40");
		run("another", 1, "h", "10", "m", "40");

		List<Point> points = this.trends.find(this.queue, span);
		// Two, if a bucket ends between two calls
		Map<String, Long> sums = new TreeMap<>();
		points.forEach((point) -> point.figures()
			.forEach((name, figure) -> sums.merge(name, figure,
					("m".equals(name)) ? Math::max : "w".equals(name) ? (first, last) -> last : Long::sum)));
		assertThat(sums).isEqualTo(Map.of("h", 15L, "l20", 2L, "f", 1L, "m", 40L, "w", 4L));
		assertThat(points.get(points.size() - 1).at().plus(span.bucket()).toEpochMilli())
			.isGreaterThan(this.partition.now());
	}

	private void run(String process, long run, String... figures) {
		this.calls.run(StoreScript.ADD_TREND, this.partition.store().partition(), process, run, "60 60 900 96 7200 84",
				List.of(figures));
	}

	@Test
	void aBucketWhoseTimeHasPassedIsReplaced() {
		for (int bucket = 0; bucket < 60; bucket++) {
			this.partition.command("HSET", Key.TRENDS, "60:" + bucket, bucket + " h=7");
		}
		assertThat(this.trends.find(this.queue, Span.HOUR)).isEmpty();

		this.trends.add(this.queue, 1, Map.of("h", 1L));

		assertThat(this.trends.find(this.queue, Span.HOUR)).hasSize(60)
			.extracting((point) -> point.figure("h"))
			.containsOnlyOnce(1L)
			.doesNotContain(7L);
	}

	@ParameterizedTest
	@CsvSource({ "0, 0", "1, 1", "20, 20", "500, 500", "60000, 60000", "86400000, 86400000" })
	void aLatenessIsKnownWithinTenPercent(long millis, double expected) {
		this.trends.add(this.queue, 1, Map.of(Trends.lateness(millis), 1L));

		assertThat(this.trends.find(this.queue, Span.HOUR)).extracting((point) -> point.lateness(0.5))
			.filteredOn((found) -> found != null)
			.singleElement()
			.satisfies((found) -> assertThat(found.doubleValue()).isCloseTo(expected, within(0.1 * expected)));
	}

	@Test
	void sharesOfTheDeliveriesAreNotLaterThanTheLongest() {
		Map<String, Long> figures = new TreeMap<>(Map.of(Trends.lateness(10), 98L, Trends.lateness(1000), 1L,
				Trends.lateness(5000), 1L, Trends.LONGEST_LATENESS, 5000L));
		Point point = new Point(Instant.EPOCH, figures);
		assertThat(point.lateness(0.5)).isBetween(9L, 11L);
		assertThat(point.lateness(0.99)).isBetween(900L, 1100L);
		assertThat(point.lateness(1)).isBetween(4500L, 5000L);
		assertThat(new Point(Instant.EPOCH, Map.of("h", 1L)).lateness(0.5)).isNull();
	}

	/** The documents say so. */
	@Test
	void aWeekOfABusyQueueTakesAboutSixtyKilobytes() {
		String figures = " s=600000 h=600000 f=1200 d=12 w=1000000 m=120000 "
				+ String.join(" ", IntStream.range(0, 12).mapToObj((range) -> "l" + (range + 8) + "=50000").toList());
		Map.of(60, 60, 900, 96, 7200, 84)
			.forEach((size, buckets) -> IntStream.range(0, buckets)
				.forEach((bucket) -> this.partition.command("HSET", Key.TRENDS, size + ":" + bucket,
						"29931450" + figures)));

		assertThat(
				((Number) this.partition.redis().call("MEMORY", "USAGE", this.partition.key(Key.TRENDS))).longValue())
			.isBetween(30_000L, 70_000L);
	}

}
