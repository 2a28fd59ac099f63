package io.delayqueue.server;

import java.security.cert.CertificateException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.delayqueue.DurationText;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import io.delayqueue.server.ServerInfo.Server;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.Rights;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;

/**
 * Checks whether delayed messages can work with the connected Redis, and reports risks
 * and limitations. Writes nothing to Redis.
 * <ol>
 * <li>Checks of each master: its version, whether it evicts keys, and what it writes to
 * disk.</li>
 * <li>Check of the rights of the connected user. An application that only schedules
 * messages needs fewer rights.</li>
 * <li>Comparison of the clock of Redis with the local clock, because callers may compute
 * due times from the local clock.</li>
 * <li>Check of the stored partition count of each queue, which another program may have
 * written.</li>
 * </ol>
 * If a server is too old, the other checks are skipped. Only what is certain is a fault.
 * Many managed services and proxies forbid or do not know the commands of a check, or
 * answer them oddly: then the result of this check is not known, which is a warning, and
 * the other checks go on.
 */
public final class ServerChecks {

	private static final Log logger = LogFactory.getLog(ServerChecks.class);

	private static final Duration TOLERATED = Duration.ofSeconds(1);

	/** The queue name in the checks of rights if no queue is known. */
	private static final String ANY = "any";

	private final RedisCalls calls;

	private final ServerInfo servers;

	private final QueueDirectory directory;

	private final InstantSource clock;

	/**
	 * Creates the checks.
	 * @param calls makes the calls to Redis
	 * @param directory the queues in Redis
	 * @param clock the clock of this machine
	 */
	public ServerChecks(RedisCalls calls, QueueDirectory directory, InstantSource clock) {
		this.calls = calls;
		this.servers = new ServerInfo(calls);
		this.directory = directory;
		this.clock = clock;
	}

	/**
	 * Runs the checks.
	 * @param consumed the queues that have a listener in this process
	 * @param otherQueues the other queues that are known to this process
	 * @return the problems
	 * @throws StoreException if Redis does not answer, or temporarily cannot answer
	 */
	public List<Finding> findings(Collection<QueueSettings> consumed, Collection<QueueSettings> otherQueues) {
		List<Finding> findings = new ArrayList<>(
				known("The version of the server, its eviction policy and its persistence are", this::ofTheServers));
		if (findings.stream().anyMatch(Finding::isFault)) {
			return findings;
		}
		List<Finding> ofTheUser = known("The rights of the Redis user are", () -> ofTheUser(consumed, otherQueues));
		findings.addAll(ofTheUser);
		boolean isLimited = ofTheUser.stream().anyMatch(Finding::isFault);
		known("The stored partition counts are", () -> ofTheQueues(consumed, otherQueues)).stream()
			.filter((finding) -> finding.isFault() || !isLimited)
			.forEach(findings::add);
		return findings;
	}

	/**
	 * Runs a check, and reports its result as not known if the server refuses the check,
	 * or does not answer it although it answers a PING.
	 */
	private List<Finding> known(String what, Supplier<List<Finding>> check) {
		try {
			return check.get();
		}
		catch (RuntimeException failure) {
			if (failure instanceof StoreException call) {
				Finding untrusted = untrusted(call);
				if (untrusted != null) {
					return List.of(untrusted);
				}
				if (call.kind() != FailureKind.REFUSED && (call.code() != null || !this.calls.answers())) {
					throw call;
				}
				Finding certain = certain(call);
				if (certain != null) {
					return List.of(certain);
				}
			}
			return List.of(Finding.warning(what + " not known: " + failure.getMessage(),
					"Messages are delivered all the same; check this yourself"));
		}
	}

	private List<Finding> ofTheServers() {
		List<Finding> findings = new ArrayList<>();
		for (Server server : this.servers.masters()) {
			findings.addAll(server.checkVersion());
			findings.addAll(server.checkEviction());
			String save = Boolean.FALSE.equals(server.appendOnly()) ? save(server.node()) : null;
			findings.addAll(server.checkPersistence(save, this.clock.instant()));
		}
		return findings;
	}

	private @Nullable String save(@Nullable String node) {
		try {
			return this.calls.command((connection) -> Optional.ofNullable(config(connection, node)))
				.map((config) -> config.getProperty("save"))
				.orElse(null);
		}
		catch (RuntimeException failure) {
			logger.debug("It is not known whether the server writes copies of its data", failure);
			return null;
		}
	}

	private static @Nullable Properties config(RedisConnection connection, @Nullable String node) {
		if (node == null) {
			return connection.serverCommands().getConfig("save");
		}
		int colon = node.lastIndexOf(':');
		return ((RedisClusterConnection) connection).serverCommands()
			.getConfig(new RedisClusterNode(node.substring(0, colon), Integer.parseInt(node.substring(colon + 1))),
					"save");
	}

	private List<Finding> ofTheUser(Collection<QueueSettings> consumed, Collection<QueueSettings> otherQueues) {
		Partition partition = new Partition(
				consumed.stream().findFirst().or(otherQueues.stream()::findFirst).map(QueueSettings::name).orElse(ANY),
				0);
		Instant sentAt = this.clock.instant();
		Rights rights;
		try {
			rights = Rights.of(this.calls, partition, !consumed.isEmpty());
		}
		catch (StoreException failure) {
			if (!"NOPERM".equals(failure.code())) {
				throw failure;
			}
			String error = String.valueOf(failure.getMessage());
			if (error.contains("access") && error.contains("key")) {
				return List.of(Finding.fault("The Redis user may not use the keys of delayed messages: " + error,
						"Grant the keys with " + Rights.grantKeys(this.calls.keySpace())));
			}
			return List.of(Finding.fault("The Redis user may not run the required scripts: " + error,
					"Grant with ACL SETUSER the missing ones of " + Rights.all(this.calls.keySpace(),
							consumed.isEmpty() ? Rights.OF_PRODUCERS : Rights.OF_CONSUMERS)));
		}
		List<Finding> findings = new ArrayList<>(clock(sentAt, rights.nowMicros(), this.clock.instant()));
		if (!rights.isEnough()) {
			findings.add(Finding.fault(rights.problem(), "Grant the missing rights with " + rights.fix()));
		}
		if (rights.unknown() != null) {
			findings.add(Finding.warning("Whether the Redis user has all rights is not known: " + rights.unknown(),
					"Messages are delivered all the same; a missing right is reported when a call needs it"));
		}
		if (!rights.hints()) {
			findings.add(Finding.warning(
					"The Redis user may not use the channel of hints: messages that other processes schedule shortly"
							+ " before they are due are found only at the next check of the sweeper, so they may be late",
					"Grant the channel with " + Rights.grantHints(this.calls.keySpace())));
		}
		return findings;
	}

	/**
	 * Compares the clock of Redis with the local clock. Redis read its clock between the
	 * call and the reply.
	 */
	private static List<Finding> clock(Instant sentAt, long redisMicros, Instant answeredAt) {
		Instant redis = Instant.EPOCH.plus(redisMicros, ChronoUnit.MICROS);
		Duration ahead = Duration.between(answeredAt, redis);
		Duration behind = Duration.between(redis, sentAt);
		boolean isAhead = ahead.compareTo(TOLERATED) > 0;
		if (redisMicros == 0 || (!isAhead && behind.compareTo(TOLERATED) <= 0)) {
			return List.of();
		}
		return List.of(Finding.warning(
				"The clock of Redis is " + DurationText.of((isAhead ? ahead : behind).truncatedTo(ChronoUnit.MILLIS))
						+ " " + (isAhead ? "ahead of" : "behind")
						+ " the local clock: messages whose due times are computed from the"
						+ " local clock are that much too " + (isAhead ? "early" : "late"),
				"Synchronise the clocks of all machines (NTP), or schedule with a delay, which only the clock of"
						+ " Redis measures"));
	}

	private List<Finding> ofTheQueues(Collection<QueueSettings> consumed, Collection<QueueSettings> otherQueues) {
		return Stream.concat(consumed.stream(), otherQueues.stream())
			.map(QueueSettings::name)
			.flatMap((queue) -> this.directory.invalidCount(queue)
				.map((problem) -> Finding.fault(problem,
						"Remove field '" + queue + "' with HDEL; the next use of the queue registers it again"))
				.stream())
			.toList();
	}

	/**
	 * Returns the fault if this process does not trust the certificate of the server.
	 */
	private static @Nullable Finding untrusted(StoreException failure) {
		for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
			if (cause instanceof CertificateException) {
				return Finding.fault(
						"The TLS connection to Redis fails, because this application does not trust the certificate of"
								+ " the server: " + cause.getMessage(),
						"Set spring.data.redis.ssl.bundle to the name of an SSL bundle whose trust store contains the"
								+ " authority that issued the certificate (spring.ssl.bundle.pem.<name>.truststore.certificate),"
								+ " and connect by a host name that the certificate contains");
			}
		}
		return null;
	}

	/**
	 * Returns the fault if a refused call shows that no other call can work either.
	 */
	private static @Nullable Finding certain(StoreException failure) {
		String error = String.valueOf(failure.getMessage());
		if (error.contains("unexpected symbol near '#'")) {
			return Finding.fault(
					Server.OLDEST + ", but the connected server cannot run the scripts of delayqueue (" + error + ")",
					"Update the server, or use another server for delayed messages");
		}
		if ("NOAUTH".equals(failure.code()) || "WRONGPASS".equals(failure.code())) {
			return Finding.fault("Redis answers, but rejects this application's credentials: " + error,
					"Set spring.data.redis.username and spring.data.redis.password to those of a user of this server");
		}
		return null;
	}

}
