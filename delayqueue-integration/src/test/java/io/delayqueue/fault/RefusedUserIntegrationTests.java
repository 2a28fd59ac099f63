package io.delayqueue.fault;

import java.time.Duration;

import io.delayqueue.RedisRefusedException;
import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.Load;
import io.delayqueue.fault.fixture.OwnRedis;
import io.delayqueue.server.ServerFaults;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * A Redis that refuses the user of the application: the password is missing, or the user
 * lacks a right or loses it.
 */
@Tag("slow")
class RefusedUserIntegrationTests {

	@RegisterExtension
	final OwnRedis own = new OwnRedis("delayqueue.defaults.visibility-timeout=3s");

	private final RedisServer redis = this.own.redis();

	private final FaultHarness harness = this.own.harness();

	@Test
	@DisplayName("row 35: a missing password is reported, and is not taken for an outage")
	void missingPasswordIsReported() {
		try (RespClient client = this.redis.client()) {
			client.call("CONFIG", "SET", "requirepass", "secret");
			assertThatThrownBy(this.harness::start).rootCause()
				.hasMessageContaining("rejects this application's credentials")
				.hasMessageContaining("NOAUTH");
			this.harness.with("delayqueue.startup-checks=warn").start();

			this.harness.schedule("m", Duration.ZERO);

			assertThat(this.harness.ledger().refused().get("m")).isInstanceOf(RedisRefusedException.class)
				.hasMessageContaining("NOAUTH");
			client.call("CONFIG", "SET", "requirepass", "");
		}
		this.harness.schedule("n", Duration.ZERO);
		this.harness.assertAllIsWell(this.redis);
	}

	@Test
	@DisplayName("row 35: an application that lacks rights refuses to start and lists all missing rights")
	void applicationThatLacksRightsDoesNotStart() {
		this.redis.call("ACL", "SETUSER", "default", "-xadd", "-zrem", "-xack");

		assertThatThrownBy(this.harness::start).rootCause()
			.hasMessageContaining("[xack, xadd, zrem]")
			.hasMessageContaining("ACL SETUSER <user> +xack +xadd +zrem");

		this.redis.call("ACL", "SETUSER", "default", "+xack", "+xadd", "+zrem");
		this.harness.start().schedule("m", Duration.ZERO);
		this.harness.assertAllIsWell(this.redis);
	}

	@Test
	@DisplayName("row 35: an application without startup checks logs all missing rights, and works when they are granted")
	void applicationThatStartsWithoutRightsLogsThem() {
		this.redis.call("ACL", "SETUSER", "default", "-xadd", "-zrem", "-xack");
		this.harness.with("delayqueue.startup-checks=warn").start();
		assertThat(this.harness.bean(ServerFaults.class).faults()).singleElement()
			.asString()
			.contains("[xack, xadd, zrem]");

		this.harness.schedule("m", Duration.ZERO);
		this.harness.awaitFailing("xadd", "zrem", "xack", "ACL SETUSER");

		this.redis.call("ACL", "SETUSER", "default", "+xadd", "+zrem", "+xack");
		this.harness.assertAllIsWell(this.redis);
		assertThat(this.harness.ledger().runs()).hasSize(1);
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> this.harness.bean(ServerFaults.class).faults().isEmpty());
	}

	@ParameterizedTest
	@ValueSource(strings = { "xdel", "hset" })
	@DisplayName("row 36: a right that is revoked for a while loses no message")
	void revokedRightLosesNoMessage(String command) {
		revoke(command);
	}

	@ParameterizedTest
	@ValueSource(strings = { "xadd", "hdel", "zadd", "xack", "zrem", "xreadgroup", "hmget" })
	@DisplayName("row 36: the same for every other right")
	void everyRevokedRightLosesNoMessage(String command) {
		revoke(command);
	}

	private void revoke(String command) {
		this.harness.with("delayqueue.defaults.back-off.first=50ms").startWarm();
		this.harness.worker().behaviour = (message) -> {
			if (message.attempt() == 1 && message.id().hashCode() % 3 == 0) {
				throw new IllegalStateException("again");
			}
		};
		Load load = this.harness.load(100);
		this.harness.ledger().await(20);

		this.redis.call("ACL", "SETUSER", "default", "-" + command);
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> this.harness.failing()
				.stream()
				.anyMatch((status) -> status.failures() >= 3 && FaultHarness.reason(status).contains(command)));
		this.redis.call("ACL", "SETUSER", "default", "+" + command);

		int before = this.harness.ledger().accepted().size();
		Awaitility.await()
			.atMost(FaultHarness.LONG_ENOUGH)
			.until(() -> this.harness.ledger().accepted().size() >= before + 20);
		load.close();
		this.harness.assertAllIsWell(this.redis);
		assertThat(this.harness.ledger().runs()).extracting((run) -> run.id() + "/" + run.attempt())
			.doesNotHaveDuplicates();
	}

}
