package io.delayqueue.server;

import java.time.Duration;
import java.time.Instant;
import java.util.Properties;

import io.delayqueue.server.ServerInfo.Server;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ServerInfoTests {

	@Test
	void theVersionOfValkeyIsReadInsteadOfItsRedisVersion() {
		Server server = Server.of(null,
				info("redis_version", "7.2.4", "server_name", "valkey", "valkey_version", "8.1.0"));

		assertThat(server.product()).isEqualTo("valkey");
		assertThat(server.version()).isEqualTo("8.1.0");
	}

	@Test
	void missingFieldsAreUnknown() {
		assertThat(Server.of("a:1", new Properties()))
			.isEqualTo(new Server("a:1", "redis", "", "", Duration.ZERO, -1, "", null, null));
	}

	@Test
	void presentFieldsAreRead() {
		assertThat(Server.of(null,
				info("redis_version", "7.0.15", "role", "slave", "uptime_in_seconds", "70", "maxmemory", "5",
						"maxmemory_policy", "noeviction", "aof_enabled", "0", "rdb_last_save_time", "1700000000")))
			.isEqualTo(new Server(null, "redis", "7.0.15", "slave", Duration.ofSeconds(70), 5, "noeviction", false,
					Instant.ofEpochSecond(1_700_000_000)));
	}

	@ParameterizedTest
	@CsvSource({ "allkeys-lru, true", "allkeys-lfu, true", "allkeys-random, true", "allkeys-lrm, true",
			"noeviction, false", "volatile-lru, false", "volatile-lfu, false", "volatile-random, false",
			"volatile-ttl, false" })
	void onlyPoliciesForAllKeysEvictKeysWithoutATimeToLive(String policy, boolean takes) {
		assertThat(Server.of(null, info("maxmemory_policy", policy)).evictsAnyKey()).isEqualTo(takes);
	}

	private static Properties info(String... fields) {
		Properties info = new Properties();
		for (int i = 0; i < fields.length; i += 2) {
			info.setProperty(fields[i], fields[i + 1]);
		}
		return info;
	}

}
