package io.delayqueue.server;

import java.time.Instant;
import java.util.List;
import java.util.Properties;

import io.delayqueue.server.Finding.Severity;
import io.delayqueue.server.ServerInfo.Server;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The rules for servers that the test machine does not have.
 */
class ServerRulesTests {

	private static final Instant NOW = Instant.ofEpochSecond(1_700_000_000);

	@ParameterizedTest
	@CsvSource({ "5.0.14, true", "6.2.14, true", "6.9.99, true", "7.0.0, false", "7.0.15, false", "7.4, false",
			"8.2.1, false", "10.0.0, false", "255.255.255, false", "7, false", "6, true", "unstable, false",
			"'', false" })
	void redisIsTooOldBefore70(String version, boolean tooOld) {
		List<Finding> findings = server(null, "redis_version", version).checkVersion();

		assertThat(findings).hasSize(tooOld ? 1 : 0).allSatisfy((finding) -> {
			assertThat(finding.isFault()).isTrue();
			assertThat(finding.problem()).contains("Redis 7.0", "Valkey 7.2", "The server is redis " + version);
		});
	}

	@ParameterizedTest
	@CsvSource({ "7.0.9, true", "7.1.0, true", "7.2.0, false", "8.0.1, false" })
	void valkeyIsTooOldBefore72(String version, boolean tooOld) {
		List<Finding> findings = server("10.0.0.1:6379", "redis_version", "7.2.4", "server_name", "valkey",
				"valkey_version", version)
			.checkVersion();

		assertThat(findings).hasSize(tooOld ? 1 : 0)
			.allSatisfy((finding) -> assertThat(finding.problem())
				.contains("The server at 10.0.0.1:6379 is valkey " + version));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			allkeys-lru  | 1048576 | DANGER  | evicts whole queues when its memory of 1048576 bytes is full
			allkeys-lru  |         | DANGER  | evicts whole queues when its memory is full
			allkeys-lfu  | 0       | WARNING | no maxmemory: as soon as maxmemory is set
			""")
	void evictionOfAnyKeyIsADangerIfThereIsAMemoryLimit(String policy, @Nullable String limit, Severity severity,
			String problem) {
		Server server = (limit != null) ? server(null, "maxmemory_policy", policy, "maxmemory", limit)
				: server(null, "maxmemory_policy", policy);

		assertThat(server.checkEviction()).singleElement().satisfies((finding) -> {
			assertThat(finding.severity()).isEqualTo(severity);
			assertThat(finding.problem()).contains("'" + policy + "'", problem);
			assertThat(finding.fix()).contains("noeviction");
		});
	}

	@ParameterizedTest
	@CsvSource({ "noeviction", "volatile-lru", "''" })
	void aPolicyThatKeepsTheKeysHasNoFinding(String policy) {
		assertThat(server(null, "maxmemory_policy", policy, "maxmemory", "1048576").checkEviction()).isEmpty();
	}

	@Test
	void messagesAreLostWhenPersistenceIsOff() {
		assertThat(server(null, "aof_enabled", "0").checkPersistence("", NOW)).singleElement()
			.satisfies((finding) -> assertThat(finding.problem()).contains("writes nothing to disk", "all messages"));
	}

	@Test
	void withCopiesOnlyLaterChangesAreLost() {
		Server server = server(null, "aof_enabled", "0", "rdb_last_save_time", "1699999940");

		for (String save : new String[] { "3600 1 300 100", null }) {
			assertThat(server.checkPersistence(save, NOW)).singleElement().satisfies((finding) -> {
				assertThat(finding.severity()).isEqualTo(Severity.WARNING);
				assertThat(finding.problem()).contains("no append-only file", "since its last copy (60 s ago)");
				assertThat(finding.fix()).contains("appendonly");
			});
		}
	}

	@Test
	void anAppendOnlyFileOrAnUnknownSettingHasNoFinding() {
		assertThat(server(null, "aof_enabled", "1").checkPersistence(null, NOW)).isEmpty();
		assertThat(server(null).checkPersistence(null, NOW)).isEmpty();
	}

	private static Server server(@Nullable String node, String... fields) {
		Properties info = new Properties();
		for (int i = 0; i < fields.length; i += 2) {
			info.setProperty(fields[i], fields[i + 1]);
		}
		return Server.of(node, info);
	}

}
