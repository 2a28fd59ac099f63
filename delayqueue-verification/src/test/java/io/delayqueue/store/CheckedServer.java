package io.delayqueue.store;

import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;

import io.delayqueue.BackOffPolicy;
import io.delayqueue.queue.EndSettings;
import io.delayqueue.queue.ExpirySettings;
import io.delayqueue.queue.FlowSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetrySettings;
import io.delayqueue.server.Finding;
import io.delayqueue.server.ServerChecks;
import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A server with recommended settings, for which there is no finding.
 */
@SuppressWarnings("NullAway.Init")
abstract class CheckedServer {

	static final QueueSettings ORDERS = settings("orders", 2);

	RedisServer redis;

	@BeforeEach
	void start() {
		this.redis = RedisServer.builder().appendOnly(AppendOnly.EVERY_SECOND).start();
	}

	@AfterEach
	void stop() {
		this.redis.close();
	}

	static List<Finding> findings(Driver driver, URI uri, List<QueueSettings> consumed,
			List<QueueSettings> otherQueues) {
		try (Connected connected = Connected.over(driver, uri)) {
			return findings(connected, consumed, otherQueues);
		}
	}

	static List<Finding> findings(Connected connected, List<QueueSettings> consumed, List<QueueSettings> otherQueues) {
		RedisCalls calls = new RedisCalls(connected.template(), new KeySpace("dq"));
		return new ServerChecks(calls, new QueueDirectory(calls), InstantSource.system()).findings(consumed,
				otherQueues);
	}

	static QueueSettings settings(String name, int partitions) {
		RetrySettings retry = new RetrySettings(5, 3, 1000, 1, Duration.ofHours(1),
				BackOffPolicy.fixed(Duration.ofSeconds(1)), Set.of());
		return new QueueSettings(name, partitions, 10, Duration.ofSeconds(30), Duration.ofDays(1), 1000,
				Duration.ofSeconds(10), Duration.ofMinutes(2), retry, GroupSettings.NONE, ExpirySettings.NEVER,
				FlowSettings.NONE, EndSettings.NONE);
	}

}
