package io.delayqueue.example.shop;

import io.delayqueue.test.AutoConfigureDelayQueueTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;

/** The whole application, on a container of the test's own. */
@SpringBootTest
@AutoConfigureDelayQueueTest
@Import(OwnContainerTests.Containers.class)
class WholeShopOnOwnContainerTests {

	@Test
	void theMessagesAreInTheContainer(@Autowired ApplicationContext context, @Autowired ShopRedis redis) {
		Whereabouts.areThere(context, redis.getHost(), redis.getMappedPort(6379));
	}

}
