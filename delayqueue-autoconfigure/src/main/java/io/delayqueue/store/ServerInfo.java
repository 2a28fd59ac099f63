package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.stream.StreamSupport;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;

/**
 * Asks the masters behind the connections what they are and how they are set, by one INFO
 * each. See https://redis.io/docs/latest/commands/info/
 */
public final class ServerInfo {

	private final RedisCalls calls;

	/**
	 * Creates the questions.
	 * @param calls the way to Redis
	 */
	public ServerInfo(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * What a master says of itself. Services that others run may leave out or forbid some
	 * of it.
	 *
	 * @param node its address in a cluster, as {@code host:port}; {@code null} where
	 * there is one master only
	 * @param product {@code redis} or {@code valkey}, or as it calls itself
	 * @param version the version of that product, empty if it is not told
	 * @param role {@code master} or {@code slave}, empty if it is not told
	 * @param uptime for how long it has run
	 * @param maxMemoryBytes the most memory that it takes, bytes; 0 for no limit, -1 if
	 * it is not told
	 * @param evictionPolicy what it does when that is full, empty if it is not told
	 * @param appendOnly whether it keeps an append-only file, {@code null} if it is not
	 * told
	 * @param lastSave when it last wrote a whole copy of its data, which is its start if
	 * it never did; {@code null} if it is not told
	 */
	public record Server(@Nullable String node, String product, String version, String role, Duration uptime,
			long maxMemoryBytes, String evictionPolicy, @Nullable Boolean appendOnly, @Nullable Instant lastSave) {

		private static final String ALL_KEYS = "allkeys-";

		/**
		 * Whether keys without a time to live, as ours, may be thrown away when the
		 * memory is full.
		 * @return {@code false} also if the policy is not told
		 */
		public boolean evictsAnyKey() {
			return this.evictionPolicy.startsWith(ALL_KEYS);
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

		private static long number(@Nullable String value, long otherwise) {
			return (value != null && value.matches("\\d{1,18}")) ? Long.parseLong(value) : otherwise;
		}

	}

	/**
	 * Asks every master.
	 * @return what each says of itself, in the order of their addresses; masters of a
	 * cluster that do not answer are left out
	 * @throws StoreException if none answers, or INFO is forbidden
	 */
	public List<Server> masters() {
		boolean cluster = this.calls.command((connection) -> connection instanceof RedisClusterConnection);
		if (cluster) {
			return ofCluster(this.calls.command((connection) -> masters((RedisClusterConnection) connection)));
		}
		return List.of(Server.of(null, told(this.calls.command((connection) -> connection.serverCommands().info()))));
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
				servers.add(Server.of(master.asString(), told(this.calls
					.command((connection) -> ((RedisClusterConnection) connection).serverCommands().info(master)))));
			}
			catch (RuntimeException ex) {
				// Jedis throws untranslated when it gives a broken connection back
				failure = ex;
			}
		}
		if (!servers.isEmpty()) {
			return servers;
		}
		throw (failure instanceof StoreException known) ? known
				: new StoreException(FailureKind.NOT_EXECUTED,
						"No master of the cluster answers" + ((failure != null) ? ": " + Diagnosis.said(failure) : ""),
						failure);
	}

	private static Properties told(@Nullable Properties info) {
		return (info != null) ? info : new Properties();
	}

}
