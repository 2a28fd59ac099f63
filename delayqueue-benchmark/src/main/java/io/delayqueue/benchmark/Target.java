package io.delayqueue.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.delayqueue.test.redis.RedisServer;
import org.jspecify.annotations.Nullable;
import org.redisson.config.Config;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.Jedis;

/**
 * The Redis server and the settings with which a contender runs.
 *
 * @param server the Redis server
 * @param tls the port for TLS, {@code null} for plain connections
 * @param payload the size of each payload, bytes
 * @param properties additional properties of the starter's application, each as
 * {@code name=value}
 * @param groups the number of groups of the starter's messages, 0 for messages without a
 * group
 */
record Target(RedisServer server, @Nullable TlsPort tls, int payload, List<String> properties, int groups) {

	private static final int TIMEOUT_MILLIS = 60_000;

	/**
	 * Returns a target with plain connections, small payloads and the default settings of
	 * the starter.
	 */
	static Target of(RedisServer server) {
		return new Target(server, null, Message.SIZE, List.of(), 0);
	}

	Target withPayload(int size) {
		return new Target(this.server, this.tls, size, this.properties, this.groups);
	}

	Target withProperties(String... further) {
		return new Target(this.server, this.tls, this.payload, List.of(further), this.groups);
	}

	Target withGroups(int groups) {
		return new Target(this.server, this.tls, this.payload, this.properties, groups);
	}

	/**
	 * Starts a contender with this target.
	 * @param contender the contender
	 * @param handler receives the payload of each message
	 */
	Peer start(Contender contender, Consumer<String> handler) {
		Peer peer = contender.start(this, handler);
		return (this.payload == Message.SIZE) ? peer : new SizedPeer(peer, this.payload);
	}

	/** Opens a connection to the server. */
	Jedis connect() {
		DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder().timeoutMillis(TIMEOUT_MILLIS);
		if (this.tls == null) {
			return new Jedis(this.server.host(), this.server.port(), config.build());
		}
		return new Jedis(this.server.host(), this.tls.port(),
				config.ssl(true).sslSocketFactory(this.tls.certificate().context().getSocketFactory()).build());
	}

	/**
	 * Returns the properties of the starter's application, including the address of the
	 * server.
	 */
	String[] all(String... further) {
		List<String> all = new ArrayList<>();
		if (this.tls != null) {
			all.add("spring.data.redis.url=" + address());
			all.add("spring.data.redis.ssl.bundle=redis");
			all.add("spring.ssl.bundle.pem.redis.truststore.certificate=" + this.tls.certificate().file().toUri());
		}
		else {
			all.add(StarterPeer.at(this.server));
		}
		all.addAll(this.properties);
		all.addAll(List.of(further));
		return all.toArray(String[]::new);
	}

	/** Returns a configuration of Redisson for this server. */
	Config redisson(int connections) {
		Config config = new Config();
		if (this.tls != null) {
			config.setSslTrustManagerFactory(this.tls.certificate().trust());
		}
		config.useSingleServer().setAddress(address()).setConnectionPoolSize(connections);
		return config;
	}

	private String address() {
		return (this.tls != null) ? "rediss://" + this.server.host() + ":" + this.tls.port()
				: "redis://" + this.server.host() + ":" + this.server.port();
	}

	/**
	 * A port of the server for TLS.
	 *
	 * @param port the port
	 * @param certificate the certificate of the server
	 */
	record TlsPort(int port, Certificate certificate) {
	}

}
