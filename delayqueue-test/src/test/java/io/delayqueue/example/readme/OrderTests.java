package io.delayqueue.example.readme;

import java.time.Duration;

import io.delayqueue.example.readme.Reports.Partner;
import io.delayqueue.test.AutoConfigureDelayQueueTest;
import io.delayqueue.test.DelayQueueTime;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest
@AutoConfigureDelayQueueTest
@MockitoBean(types = Partner.class)
class OrderTests {

	@Test
	void unpaidOrderIsCancelled(@Autowired Orders orders, @Autowired DelayQueueTime time) {
		orders.place("o-1");
		time.advance(Duration.ofMinutes(15));
		assertThat(orders.find("o-1").isCancelled()).isTrue();
	}

	@Test
	void nothingIsCancelledBefore(@Autowired Orders orders, @Autowired DelayQueueTime time) {
		orders.place("o-1");
		time.advance(Duration.ofMinutes(14));
		assertThat(orders.find("o-1").isCancelled()).isFalse();
	}

}
