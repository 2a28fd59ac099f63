package io.delayqueue.sample.orders;

import io.delayqueue.admin.DelayQueueAdmin;
import io.delayqueue.sample.SampleClient.Answer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The quota of orders in Redis. */
@Tag("slow")
class OrderQuotaIntegrationTests extends OrderQuotaScenarios {

	@BeforeAll
	static void startInstances() {
		start();
	}

	@Override
	void breakTimeouts() {
		sample.redis().call("RENAME", "sample:{orders}:closed", "closed-orders");
		sample.redis().call("SET", "sample:{orders}:closed", "no sorted set");
	}

	@Override
	void mendTimeouts() {
		sample.redis().call("DEL", "sample:{orders}:closed");
		sample.redis().call("RENAME", "closed-orders", "sample:{orders}:closed");
	}

	@Test
	void whileTheQueueIsDrainedOrdersAreRejectedAndLeaveNoData() {
		DelayQueueAdmin admin = sample.bean(DelayQueueAdmin.class);
		admin.drain(OrderTimeouts.QUEUE);
		Answer refused = place("1", LATER);
		assertThat(refused.status()).isEqualTo(503);
		assertThat(refused.text("type")).endsWith(":queue-draining");
		assertThat(refused.header("Retry-After")).isNotEmpty();
		admin.reopen(OrderTimeouts.QUEUE);
		assertThat(find("1").status()).isEqualTo(404);
		assertThat(place("1", LATER).status()).isEqualTo(201);
	}

}
