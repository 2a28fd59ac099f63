package io.delayqueue.fault;

import java.time.Duration;
import java.time.Instant;

import io.delayqueue.fault.fixture.FaultHarness;
import io.delayqueue.fault.fixture.Load;
import io.delayqueue.test.fault.FaultProxy;
import io.delayqueue.test.redis.RedisServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A master and a replica behind one address that moves with the master, as cloud
 * providers offer it. The connections to the old master are not closed.
 */
@Tag("slow")
@SuppressWarnings("NullAway.Init")
class DemotedMasterIntegrationTests {

	private static final Duration LIMIT = Duration.ofMinutes(2);

	private RedisServer master;

	private RedisServer replica;

	private FaultProxy address;

	private FaultHarness harness;

	String driver() {
		return "jedis";
	}

	@BeforeEach
	void startRedis() {
		this.master = RedisServer.builder().setting("repl-diskless-sync-delay", 0).start();
		this.replica = RedisServer.builder()
			.setting("repl-diskless-sync-delay", 0)
			.setting("replicaof", this.master.host(), this.master.port())
			.start();
		this.address = FaultProxy.to(this.master);
		this.harness = new FaultHarness(this.address.uri(), "delayqueue.defaults.visibility-timeout=6s",
				"spring.data.redis.client-type=" + driver());
	}

	@AfterEach
	void stopAll() {
		this.harness.close();
		this.address.close();
		this.replica.close();
		this.master.close();
	}

	@Test
	@DisplayName("row 39: connections to a demoted master are replaced")
	void connectionsToADemotedMasterAreReplaced() {
		this.harness.startWarm();
		Load load = this.harness.load(100);
		this.harness.ledger().await(100);

		Instant demoted = Instant.now();
		this.address.redirectTo(this.replica);
		this.master.call("FAILOVER", "TO", this.replica.host(), Integer.toString(this.replica.port()));
		Awaitility.await().atMost(LIMIT).until(() -> role(this.replica).contains("role:master"));

		int before = this.harness.ledger().runs().size();
		this.harness.ledger().await(before + 100);
		load.close();
		this.harness.assertAllIsWell(this.replica);
		this.harness.ledger().report("row 39, demoted master, " + driver(), demoted);
		assertThat(role(this.master)).contains("role:slave");
		assertThat(this.harness.ledger().refused()).isEmpty();
		assertThat(this.harness.ledger().unknown()).isEmpty();
		assertThat(this.harness.ledger().doubled()).isZero();
	}

	private static String role(RedisServer server) {
		return String.valueOf(server.call("INFO", "replication"));
	}

}
