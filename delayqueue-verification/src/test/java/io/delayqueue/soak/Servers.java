package io.delayqueue.soak;

import java.util.List;

import io.delayqueue.test.fault.RedisCluster;
import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisServer;

/**
 * The Redis of a soak. It writes everything to disk before it answers, so that no
 * accepted message may be lost.
 */
interface Servers extends AutoCloseable {

	/** The kinds of servers. */
	enum Kind {

		/** One server. */
		STANDALONE,

		/** Three masters. */
		CLUSTER

	}

	/** All servers; each may be killed and restarted. */
	List<RedisServer> all();

	/** The server of a key. */
	RedisServer of(String key);

	/** The property that connects an application to them, {@code name=value}. */
	String address();

	@Override
	void close();

	static Servers start(Kind kind) {
		return switch (kind) {
			case STANDALONE -> new Standalone(
					RedisServer.builder().appendOnly(AppendOnly.ALWAYS).setting("enable-debug-command", "yes").start());
			case CLUSTER -> new Cluster(RedisCluster.builder()
				.replicas(0)
				.appendOnly(AppendOnly.ALWAYS)
				.setting("enable-debug-command", "yes")
				.start());
		};
	}

	/**
	 * One server.
	 *
	 * @param server the server
	 */
	record Standalone(RedisServer server) implements Servers {

		@Override
		public List<RedisServer> all() {
			return List.of(this.server);
		}

		@Override
		public RedisServer of(String key) {
			return this.server;
		}

		@Override
		public String address() {
			return "spring.data.redis.url=" + this.server.uri();
		}

		@Override
		public void close() {
			this.server.close();
		}

	}

	/**
	 * A cluster.
	 *
	 * @param cluster the cluster
	 */
	record Cluster(RedisCluster cluster) implements Servers {

		@Override
		public List<RedisServer> all() {
			return this.cluster.nodes();
		}

		@Override
		public RedisServer of(String key) {
			return this.cluster.masterOf(key);
		}

		@Override
		public String address() {
			return "spring.data.redis.cluster.nodes=" + String.join(",", this.cluster.addresses());
		}

		@Override
		public void close() {
			this.cluster.close();
		}

	}

}
