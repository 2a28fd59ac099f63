package io.delayqueue.test.redis;

import java.util.Map;
import java.util.stream.Collectors;

/**
 * The fields of a reply to INFO, or to CLUSTER INFO, which has the same form.
 *
 * @param fields the values of the fields, by name
 */
record ServerInfo(Map<String, String> fields) {

	static ServerInfo of(String text) {
		return new ServerInfo(text.lines()
			.filter((line) -> line.indexOf(':') > 0)
			.collect(Collectors.toMap((line) -> line.substring(0, line.indexOf(':')),
					(line) -> line.substring(line.indexOf(':') + 1).strip(), (first, second) -> second)));
	}

	static ServerInfo from(RespClient client) {
		return of(client.text("INFO"));
	}

	String get(String name) {
		return this.fields.getOrDefault(name, "");
	}

	/**
	 * Returns name and version of the server. Valkey also reports a Redis version for old
	 * clients, which is ignored.
	 */
	String nameAndVersion() {
		return this.fields.containsKey("valkey_version") ? "valkey-server " + get("valkey_version")
				: "redis-server " + version();
	}

	String version() {
		return this.fields.getOrDefault("valkey_version", get("redis_version"));
	}

}
