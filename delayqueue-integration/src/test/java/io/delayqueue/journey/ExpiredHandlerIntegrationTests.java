package io.delayqueue.journey;

import java.time.Duration;
import java.util.List;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.admin.DeadLetter;
import io.delayqueue.journey.fixture.ExpiringMessages;
import io.delayqueue.journey.fixture.Handled;
import io.delayqueue.listener.DelayedListenerRegistry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Handler methods for expired messages.
 */
@Tag("slow")
class ExpiredHandlerIntegrationTests extends ExpiringMessages {

	@Test
	void expiredHandlerMethodFollowsTheRulesOfAHandlerMethod() {
		scheduleStopped("handed", "x");

		awaitGone("handed", "x");
		assertThat(this.late.handled.runs()).as("not in time").isEmpty();
		assertThat(this.late.handedOver.runs()).extracting(Handled.Run::attempt).containsExactly(1, 2);
		assertThat(this.late.expired).containsExactly("x HANDED_OVER");

		scheduleStopped("handed", "never");

		DeadLetter dead = awaitDead("handed", "never");
		assertThat(dead.reason()).isEqualTo("HANDLER_FAILED");
		assertThat(dead.failures()).isEqualTo(5);
		assertThat(this.late.expired).containsExactly("x HANDED_OVER", "never DEAD_LETTERED");
	}

	@Test
	void expiredHandlerMethodIsRetriedAfterTheBackOff() {
		Duration wait = Duration.ofMillis(500);
		DelayedListenerRegistry registry = this.context.getBean(DelayedListenerRegistry.class);
		registry.stop("handed");
		awaitPast(schedule(request("handed", "patient").expireAfter(SHORT).backOff(BackOffPolicy.fixed(wait))));
		registry.start("handed");

		List<Handled.Run> runs = this.late.handedOver.await(2);
		assertThat(Duration.between(runs.get(0).at(), runs.get(1).at())).isGreaterThanOrEqualTo(wait);
	}

	@Test
	void expiredMessagesOfABatchAreHandledOneByOne() {
		scheduleStopped("handed-batches", "a", "b", "in time");

		this.late.handled.await(1);
		assertThat(this.late.handedOver.await(2)).extracting(Handled.Run::id).containsExactly("a", "b");
		assertThat(this.late.batches).containsExactly(List.of("in time"));
		awaitGone("handed-batches", "b");
	}

}
