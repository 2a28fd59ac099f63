package io.delayqueue.schedule;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisSystemException;

import static io.delayqueue.schedule.StoreFailures.failure;
import static io.delayqueue.schedule.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Which threads get the failure of a call, and how the other messages are sent.
 */
class CallCoalescerFailureTests extends HeldCalls {

	@Test
	void failureOfCallReachesOnlyThreadsWithMessageInIt() throws Exception {
		StoreException full = failure(
				new RedisSystemException("Error", new IllegalStateException("OOM command not allowed")));
		assertThat(full.isRedisLost()).isFalse();
		Call one = threeCallsAreUnderWay().get(0);
		Sending a = waitInLine(message("a"));
		Sending b = waitInLine(message("b"));
		one.end();
		Call together = nextCall();
		Sending c = waitInLine(message("c"));

		together.fail(full);

		assertThat(a.failure()).isSameAs(full);
		assertThat(b.failure()).isSameAs(full);
		Call next = nextCall();
		assertThat(next.ids()).containsExactly("c");
		next.end();
		assertThat(c.answer).succeedsWithin(PATIENCE).isEqualTo("answer to c");
	}

	@Test
	void whenRedisIsLostWaitingMessagesFailAsNotSent() throws Exception {
		StoreException lost = failure(new QueryTimeoutException("Redis command timed out"));
		assertThat(lost.isRedisLost()).isTrue();
		assertThat(lost.kind()).isEqualTo(FailureKind.UNKNOWN);
		Sending sent = send(message("sent"));
		Call losing = nextCall();
		send(message("second"));
		nextCall();
		send(message("third"));
		nextCall();
		Sending a = waitInLine(message("a"));
		Sending b = waitInLine(message("b"));

		losing.fail(lost);

		assertThat(sent.failure()).isSameAs(lost);
		for (Sending waiting : List.of(a, b)) {
			assertThat(waiting.failure()).isInstanceOfSatisfying(StoreException.class,
					(failure) -> assertThat(failure.kind()).isEqualTo(FailureKind.NOT_EXECUTED));
		}
		assertThat(this.begun).isEmpty();
		send(message("later"));
		assertThat(nextCall().ids()).containsExactly("later");
	}

	static Stream<Throwable> afterAnyOtherFailureEachMessageIsSentAlone() {
		return Stream.of(new IllegalStateException("indicates a bug"), new StackOverflowError());
	}

	@ParameterizedTest
	@MethodSource
	void afterAnyOtherFailureEachMessageIsSentAlone(Throwable broken) throws Exception {
		Call one = threeCallsAreUnderWay().get(0);
		Sending a = waitInLine(message("a"));
		Sending b = waitInLine(message("b"));
		one.end();
		Call together = nextCall();
		Sending c = waitInLine(message("c"));

		together.fail(broken);

		Map<List<String>, Call> alone = new HashMap<>();
		for (int i = 0; i < 3; i++) {
			Call call = nextCall();
			alone.put(call.ids(), call);
		}
		assertThat(alone).containsOnlyKeys(List.of("a"), List.of("b"), List.of("c"));
		alone.remove(List.of("a")).fail(broken);
		alone.values().forEach(Call::end);
		assertThat(a.failure()).isSameAs(broken);
		assertThat(b.answer).succeedsWithin(PATIENCE).isEqualTo("answer to b");
		assertThat(c.answer).succeedsWithin(PATIENCE).isEqualTo("answer to c");
	}

	@Test
	void failedCallsNoLongerCountAsUnderWay() throws Exception {
		List<Call> calls = threeCallsAreUnderWay();

		calls.get(0).fail(new StackOverflowError());
		calls.get(1).fail(new IllegalStateException());
		calls.get(2).fail(failure(new QueryTimeoutException("Redis command timed out")));
		for (Sending sending : this.sendings) {
			sending.failure();
		}

		threeCallsAreUnderWay();
	}

}
