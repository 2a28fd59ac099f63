package io.delayqueue.delivery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.delayqueue.store.ReadyMessages.Settled;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SettlementListenerTests {

	private final List<DeliveryTask> through = new ArrayList<>();

	private final Permits permits = new Permits(3, () -> {
	});

	private final SettlementListener settlementListener = settlementListener();

	@Test
	void aRefusedMessageLeavesItsPlaceOnceAndIsNotWaitedFor() {
		Settlement settlement = Settlement.acknowledge(HandlingTests.task("o-1", null, 1000));
		this.permits.take(3);

		this.settlementListener.refused(settlement);
		assertThat(this.permits.taken()).isEqualTo(2);
		this.settlementListener.settled(settlement, Settled.COUNTED);
		assertThat(this.permits.taken()).as("settled after all").isEqualTo(2);

		this.permits.giveBack(2);
		assertThat(this.permits.awaitAllBack(Duration.ZERO)).isTrue();
	}

	@Test
	void aRefusedMessageThatHadLeftItsPlaceIsCountedNoMore() {
		DeliveryTask task = HandlingTests.task("o-1", null, 1000);
		this.permits.take(1);
		task.returnPermit();
		this.permits.leave(1);
		Settlement settlement = Settlement.acknowledge(task);

		this.settlementListener.refused(settlement);
		assertThat(this.permits.taken()).isZero();
		this.settlementListener.settled(settlement, Settled.COUNTED);
		assertThat(this.permits.taken()).isZero();
		assertThat(this.through).as("told once").containsExactly(task);
		assertThat(this.permits.take(5)).isEqualTo(3);
	}

	private SettlementListener settlementListener() {
		return new SettlementListener("orders", HandlingTests.unobserved(), this.permits, new InFlight(), () -> false,
				this.through::add);
	}

}
