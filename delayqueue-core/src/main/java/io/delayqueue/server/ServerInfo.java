package io.delayqueue.server;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import io.delayqueue.store.RedisCalls;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;

/**
 * Reads the version and the settings of each connected master with INFO. See
 * https://redis.io/docs/latest/commands/info/
 */
public final class ServerInfo {

	private final RedisCalls calls;

	/**
	 * Creates a reader of server information.
	 * @param calls makes the calls to Redis
	 */
	public ServerInfo(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * The state of a master server, from its reply to INFO. The methods of this record
	 * return findings: a version that is too old, or settings with which messages may be
	 * refused or lost. Managed services may omit parts of the reply; an unknown value
	 * causes no finding.
	 *
	 * @param node the address of the server in a cluster, as {@code host:port};
	 * {@code null} if there is only one master
	 * @param product {@code redis} or {@code valkey}, or the name of another product
	 * @param version the version of that product, empty if unknown
	 * @param role {@code master} or {@code slave}, empty if unknown
	 * @param uptime the time for which the server has run
	 * @param maxMemoryBytes the memory limit, bytes; 0 for no limit, -1 if unknown
	 * @param evictionPolicy the eviction policy at the memory limit, empty if unknown
	 * @param appendOnly whether the server keeps an append-only file, {@code null} if
	 * unknown
	 * @param lastSave when the server last wrote a full copy of its data, or its start
	 * time if it has written no copy; {@code null} if unknown
	 */
	public record Server(@Nullable String node, String product, String version, String role, Duration uptime,
			long maxMemoryBytes, String evictionPolicy, @Nullable Boolean appendOnly, @Nullable Instant lastSave) {

		/** The oldest server versions that support script flags and XPENDING IDLE. */
		static final String OLDEST = "Redis 7.0 or Valkey 7.2 is the oldest server that can be used";

		private static final Pattern VERSION = Pattern.compile("(\\d{1,6})(?:\\.(\\d{1,6}))?.*");

		private static final String APPEND_ONLY = "Set appendonly to 'yes', with appendfsync 'everysec' or 'always'";

		/**
		 * Whether the server may evict keys without a time to live, such as the keys of
		 * this library, when its memory is full.
		 * @return {@code false} also if the eviction policy is unknown
		 */
		public boolean evictsAnyKey() {
			return this.evictionPolicy.startsWith("allkeys-");
		}

		static Server of(@Nullable String node, Properties info) {
			String valkey = info.getProperty("valkey_version");
			String save = info.getProperty("rdb_last_save_time");
			String appendOnly = info.getProperty("aof_enabled");
			return new Server(node, info.getProperty("server_name", (valkey != null) ? "valkey" : "redis"),
					(valkey != null) ? valkey : info.getProperty("redis_version", ""), info.getProperty("role", ""),
					Duration.ofSeconds(number(info.getProperty("uptime_in_seconds"), 0)),
					number(info.getProperty("maxmemory"), -1), info.getProperty("maxmemory_policy", ""),
					(appendOnly != null) ? Boolean.valueOf(appendOnly.equals("1")) : null,
					(save != null) ? Instant.ofEpochSecond(number(save, 0)) : null);
		}

		/** Checks whether the server is too old. */
		List<Finding> checkVersion() {
			int[] oldest = this.product.equals("valkey") ? new int[] { 7, 2 } : new int[] { 7, 0 };
			Matcher parts = VERSION.matcher(this.version);
			if (!parts.matches()) {
				return List.of();
			}
			int major = Integer.parseInt(parts.group(1));
			int minor = (parts.group(2) != null) ? Integer.parseInt(parts.group(2)) : 0;
			boolean old = major < oldest[0] || (major == oldest[0] && minor < oldest[1]);
			return old ? List.of(Finding.fault(OLDEST + ", but " + name() + " is " + this.product + " " + this.version,
					"Update the server, or use another server for delayed messages")) : List.of();
		}

		/** Checks whether the server evicts keys. */
		List<Finding> checkEviction() {
			if (!evictsAnyKey()) {
				return List.of();
			}
			String policy = name() + " has the maxmemory-policy '" + this.evictionPolicy + "'";
			String fix = "Set maxmemory-policy to 'noeviction', or to one of 'volatile-*' if other applications need eviction";
			if (this.maxMemoryBytes == 0) {
				return List.of(Finding.warning(policy
						+ " and no maxmemory: as soon as maxmemory is set, it evicts whole queues when its memory is full",
						fix));
			}
			String limit = (this.maxMemoryBytes > 0) ? " of " + this.maxMemoryBytes + " bytes" : "";
			return List
				.of(Finding.danger(policy + ": it evicts whole queues when its memory" + limit + " is full", fix));
		}

		/**
		 * Checks whether messages are lost when the server stops or crashes.
		 * @param save the server's setting {@code save} for copies of its data, empty if
		 * it writes no copies, {@code null} if unknown
		 * @param now the current time
		 * @return the findings
		 */
		List<Finding> checkPersistence(@Nullable String save, Instant now) {
			if (this.appendOnly == null || this.appendOnly) {
				return List.of();
			}
			if (save != null && save.isBlank()) {
				return List.of(Finding.warning(name() + " writes nothing to disk: when it stops, all messages are lost",
						APPEND_ONLY));
			}
			String age = (this.lastSave != null)
					? " (" + Math.max(0, Duration.between(this.lastSave, now).toSeconds()) + " s ago)" : "";
			return List.of(Finding.warning(name()
					+ " has no append-only file: when it crashes, all changes since its last copy" + age + " are lost",
					APPEND_ONLY));
		}

		private String name() {
			return (this.node != null) ? "The server at " + this.node : "The server";
		}

		private static long number(@Nullable String value, long otherwise) {
			return (value != null && value.matches("\\d{1,18}")) ? Long.parseLong(value) : otherwise;
		}

	}

	/**
	 * Reads the state of every master.
	 * @return the state of each master, in the order of addresses, without masters of a
	 * cluster that do not answer
	 * @throws StoreException if no master answers, or if INFO is forbidden
	 */
	public List<Server> masters() {
		boolean cluster = this.calls.command((connection) -> connection instanceof RedisClusterConnection);
		if (cluster) {
			return ofCluster(this.calls.command((connection) -> masters((RedisClusterConnection) connection)));
		}
		return List
			.of(Server.of(null, orEmpty(this.calls.command((connection) -> connection.serverCommands().info()))));
	}

	private static List<RedisClusterNode> masters(RedisClusterConnection cluster) {
		return StreamSupport.stream(cluster.clusterCommands().clusterGetNodes().spliterator(), false)
			.filter((node) -> node.isMaster() && !node.isMarkedAsFail())
			.sorted(Comparator.comparing(RedisClusterNode::asString))
			.toList();
	}

	private List<Server> ofCluster(List<RedisClusterNode> masters) {
		List<Server> servers = new ArrayList<>();
		RuntimeException failure = null;
		for (RedisClusterNode master : masters) {
			try {
				servers.add(Server.of(master.asString(), orEmpty(this.calls
					.command((connection) -> ((RedisClusterConnection) connection).serverCommands().info(master)))));
			}
			catch (RuntimeException ex) {
				// When Jedis returns a broken connection to its pool, Jedis throws an
				// exception that Spring Data Redis does not translate
				failure = ex;
			}
		}
		if (!servers.isEmpty()) {
			return servers;
		}
		throw (failure instanceof StoreException known) ? known : new StoreException(FailureKind.NOT_EXECUTED,
				"No master of the cluster answers" + ((failure != null) ? ": " + failure.getMessage() : ""), failure);
	}

	private static Properties orEmpty(@Nullable Properties info) {
		return (info != null) ? info : new Properties();
	}

}
