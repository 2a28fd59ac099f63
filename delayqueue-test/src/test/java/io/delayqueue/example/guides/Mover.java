package io.delayqueue.example.guides;

import java.time.Instant;
import java.util.List;
import java.util.Set;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleAnswer;
import io.delayqueue.ScheduleRequest;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.ZSetOperations.TypedTuple;
import org.springframework.util.Assert;

class Mover {

	private final StringRedisTemplate redis;

	private final DelayQueueOperations delayQueue;

	Mover(StringRedisTemplate redis, DelayQueueOperations delayQueue) {
		this.redis = redis;
		this.delayQueue = delayQueue;
	}

	void moveAll() {
		Set<TypedTuple<String>> page = waiting();
		while (!page.isEmpty()) {
			List<ScheduleAnswer> answers = this.delayQueue.scheduleAll(page.stream().map(Mover::request).toList());
			String[] stored = answers.stream()
				.filter((answer) -> answer.result() != null)
				.map(ScheduleAnswer::id)
				.toArray(String[]::new);
			Assert.state(stored.length > 0, () -> "Nothing was stored: " + answers.get(0).failure());
			this.redis.opsForZSet().remove("timeouts", (Object[]) stored);
			page = waiting();
		}
	}

	private Set<TypedTuple<String>> waiting() {
		return this.redis.opsForZSet().rangeWithScores("timeouts", 0, 499);
	}

	private static ScheduleRequest request(TypedTuple<String> waiting) {
		return ScheduleRequest.to("timeouts")
			.id(waiting.getValue())
			.payload(waiting.getValue())
			.dueAt(Instant.ofEpochMilli(waiting.getScore().longValue()));
	}

}
