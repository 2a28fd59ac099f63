package io.delayqueue.example.shop;

import io.delayqueue.test.AutoConfigureDelayQueueTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;

/** The whole application with a service connection of the test. */
@SpringBootTest
@AutoConfigureDelayQueueTest
@Import(OwnServiceConnectionTests.Containers.class)
class WholeShopOnOwnServiceConnectionTests {

	@Test
	void theMessagesAreOnTheServerOfTheServiceConnection(@Autowired ApplicationContext context,
			@Autowired ShopRedis redis) {
		UsedRedis.isAt(context, redis.getHost(), redis.getMappedPort(6379));
	}

}
