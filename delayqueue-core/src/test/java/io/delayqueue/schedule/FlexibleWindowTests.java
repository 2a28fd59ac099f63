package io.delayqueue.schedule;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.DurationText;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.observe.MessageSpan;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.GeneratedIds;
import io.delayqueue.record.CallToken;
import io.delayqueue.store.Partitioner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class FlexibleWindowTests {

	private static final Duration WINDOW = Duration.ofMinutes(10);

	private static final Instant DUE = Instant.parse("2100-01-01T00:00:00Z");

	private static final int IDS = 100_000;

	private final GeneratedIds generatedIds = new GeneratedIds(Clock.systemUTC());

	@Test
	void numberedIdsSpreadEvenlyOverTheWindow() {
		assertEven(IntStream.range(0, IDS).mapToObj(Integer::toString));
		assertEven(IntStream.range(0, IDS).mapToObj((i) -> "order-" + i));
		assertEven(IntStream.range(0, IDS).mapToObj((i) -> i + "@shop"));
	}

	@Test
	void generatedIdsSpreadEvenlyOverTheWindow() {
		assertEven(IntStream.range(0, IDS).mapToObj((i) -> this.generatedIds.next(i % 12)));
	}

	@Test
	void idsOfOnePartitionSpreadEvenlyOverTheWindow() {
		assertEven(IntStream.range(0, 12 * IDS)
			.mapToObj((i) -> "order-" + i)
			.filter((id) -> Partitioner.of(id, null, 12) == 7));
	}

	private static void assertEven(Stream<String> ids) {
		long[] tenths = new long[10];
		ids.forEach((id) -> tenths[(int) Math.min(9,
				FlexibleWindow.offset(id, WINDOW).toMillis() * 10 / WINDOW.toMillis())]++);
		long all = Arrays.stream(tenths).sum();
		assertThat(Arrays.stream(tenths).mapToDouble((tenth) -> (double) tenth / all))
			.allSatisfy((share) -> assertThat(share).isBetween(0.08, 0.12));
	}

	/** Messages that are scheduled again by another version must keep their due times. */
	@ParameterizedTest
	@CsvSource({ "order-1, 171343", "用户, 135385" })
	void offsetOfKeyNeverChanges(String key, long millis) {
		assertThat(FlexibleWindow.offset(key, WINDOW)).isEqualTo(Duration.ofMillis(millis));
	}

	@Test
	void offsetsReachBothEndsOfTheWindow() {
		assertThat(IntStream.range(0, 1000)
			.mapToObj((i) -> FlexibleWindow.offset("m" + i, Duration.ofMillis(2)).toMillis())
			.distinct()).containsExactlyInAnyOrder(0L, 1L, 2L);
		assertThat(FlexibleWindow.offset("m", Duration.ZERO)).isZero();
		assertThat(FlexibleWindow.offset("m", Duration.ofNanos(999_999))).isZero();
		assertThat(FlexibleWindow.offset("m", Duration.ofDays(36_500))).isBetween(Duration.ZERO,
				Duration.ofDays(36_500));
	}

	@Test
	void offsetIsThatOfTheGroupElseOfTheId() {
		ScheduleRequest request = ScheduleRequest.to("orders").payload("p").dueAt(DUE).within(WINDOW);
		assertThat(due(request.id("a").group("g"))).isEqualTo(due(request.id("b").group("g"))).isEqualTo(expected("g"));
		assertThat(due(request.id("a"))).isEqualTo(expected("a"));
		OutgoingMessage generated = outgoing(request);
		assertThat(generated.message().due().describe()).isEqualTo(expected(generated.id()));
	}

	@Test
	void offsetIsAddedToADelay() {
		ScheduleRequest request = ScheduleRequest.to("orders").payload("p").id("a").delay(Duration.ofHours(1));
		assertThat(due(request.within(WINDOW)))
			.isEqualTo(DurationText.of(Duration.ofHours(1).plus(FlexibleWindow.offset("a", WINDOW))) + " from now");
		assertThat(due(request.within(Duration.ZERO))).isEqualTo(due(request));
	}

	@ParameterizedTest
	@ValueSource(strings = { "P2D", "PT24H0.001S" })
	void windowBeyondMaxDelayIsRejected(Duration within) {
		assertRejected(ScheduleRequest.to("orders").payload("p").dueAt(DUE).within(within), "within is '"
				+ DurationText.of(within) + "' but must be at most 1d, because of max-delay of queue 'orders'");
	}

	@Test
	void windowThatEndsBeyondMaxDelayIsRejected() {
		assertRejected(
				ScheduleRequest.to("orders").payload("p").delay(Duration.ofHours(23)).within(Duration.ofHours(2)),
				"within is '2h' but must be at most 1h after the delay, because of max-delay of queue 'orders'");
	}

	@Test
	void windowThatEndsBeyondTheLimitOfPostponeIsRejected() {
		assertRejected(
				ScheduleRequest.to("orders")
					.payload("p")
					.id("a")
					.onDuplicate(DuplicatePolicy.postpone(Duration.ofHours(1)))
					.delay(Duration.ofMinutes(55))
					.within(WINDOW),
				"within is '10m' but must be at most 5m after the delay, because of the limit of postpone");
	}

	private void assertRejected(ScheduleRequest request, String message) {
		assertThatExceptionOfType(InvalidMessageException.class).isThrownBy(() -> outgoing(request))
			.withMessage(message)
			.satisfies((problem) -> assertThat(problem.field()).isEqualTo("within"));
	}

	private static String expected(String key) {
		return DUE.plus(FlexibleWindow.offset(key, WINDOW)).toString();
	}

	private String due(ScheduleRequest request) {
		return outgoing(request).message().due().describe();
	}

	private OutgoingMessage outgoing(ScheduleRequest request) {
		return OutgoingMessage.of(request, TestMessages.QUEUE, Epochs.first("orders", 2), this.generatedIds,
				new JacksonPayloadConverter(JsonMapper.builder().build()), CallToken.next(), MessageSpan.NONE, null);
	}

}
