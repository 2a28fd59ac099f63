package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;

import io.delayqueue.queue.QueueSettings;
import io.delayqueue.store.ServerInfo.Server;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;

/**
 * Looks at the Redis behind the connections: whether delayed messages can work with it,
 * and what is to be expected of it. Reads only.
 * <ol>
 * <li>Each master: its version, whether it throws keys away, what it writes to disk.
 * Where INFO or CONFIG is forbidden, as services that others run do, that is left
 * out.</li>
 * <li>The rights of the connected user: fewer for an application that only
 * schedules.</li>
 * <li>The clock of Redis against ours, on which due times depend that a caller counts
 * from his own.</li>
 * <li>What is stored of the queues: the partition count.</li>
 * </ol>
 * Of a server that is too old no more is looked at.
 */
public final class ServerChecks {

	private static final Log logger = LogFactory.getLog(ServerChecks.class);

	private static final Duration TOLERATED = Duration.ofSeconds(1);

	/** For questions that are about no queue, where none is known. */
	private static final String ANY = "any";

	private final RedisCalls calls;

	private final ServerInfo servers;

	private final QueueDirectory directory;

	private final InstantSource clock;

	/** Whether that was said: one looks again and again while there are faults. */
	private final AtomicBoolean infoForbidden = new AtomicBoolean();

	/**
	 * Creates the checks.
	 * @param calls the way to Redis
	 * @param directory the partition counts of the queues
	 * @param clock the clock of this machine
	 */
	public ServerChecks(RedisCalls calls, QueueDirectory directory, InstantSource clock) {
		this.calls = calls;
		this.servers = new ServerInfo(calls);
		this.directory = directory;
		this.clock = clock;
	}

	/**
	 * Looks at it.
	 * @param consumed the queues that have a listener in this process
	 * @param others other queues that are known to this process
	 * @return what is not as it should be
	 * @throws StoreException if Redis does not answer, or cannot at the moment
	 */
	public List<Finding> findings(Collection<QueueSettings> consumed, Collection<QueueSettings> others) {
		List<Finding> findings = new ArrayList<>();
		try {
			findings.addAll(ofTheServers());
			if (findings.stream().noneMatch(Finding::isFault)) {
				findings.addAll(ofTheUser(consumed, others));
				findings.addAll(ofTheQueues(consumed, others, findings.stream().anyMatch(Finding::isFault)));
			}
		}
		catch (StoreException failure) {
			findings.add(refusal(failure));
		}
		return findings;
	}

	private List<Finding> ofTheServers() {
		List<Finding> findings = new ArrayList<>();
		try {
			for (Server server : this.servers.masters()) {
				findings.addAll(ServerRules.version(server));
				findings.addAll(ServerRules.eviction(server));
				String save = Boolean.FALSE.equals(server.appendOnly()) ? save(server.node()) : null;
				findings.addAll(ServerRules.persistence(server, save, this.clock.instant()));
			}
		}
		catch (StoreException failure) {
			if (!isForbidden(failure)) {
				throw failure;
			}
			if (this.infoForbidden.compareAndSet(false, true)) {
				logger.info("Redis does not let this user ask for INFO (" + failure.getMessage()
						+ "): its version, eviction and persistence are not checked");
			}
		}
		return findings;
	}

	private @Nullable String save(@Nullable String node) {
		try {
			return this.calls.command((connection) -> Optional.ofNullable(config(connection, node)))
				.map((config) -> config.getProperty("save"))
				.orElse(null);
		}
		catch (StoreException failure) {
			if (!isForbidden(failure)) {
				throw failure;
			}
			logger.debug("Redis does not let this user ask for its configuration", failure);
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

	private List<Finding> ofTheUser(Collection<QueueSettings> consumed, Collection<QueueSettings> others) {
		List<String> needed = consumed.isEmpty() ? Rights.OF_PRODUCERS : Rights.OF_CONSUMERS;
		Partition partition = new Partition(
				consumed.stream().findFirst().or(others.stream()::findFirst).map(QueueSettings::name).orElse(ANY), 0);
		Instant asked = this.clock.instant();
		Rights rights;
		try {
			rights = Rights.of(this.calls, partition, needed);
		}
		catch (StoreException failure) {
			if (!"NOPERM".equals(FailureKind.code(failure))) {
				throw failure;
			}
			return List
				.of(Finding.fault("Redis does not let this user run the scripts that it needs: " + failure.getMessage(),
						"Grant with ACL SETUSER what the user lacks of " + Rights.all(this.calls.keySpace(), needed)));
		}
		List<Finding> findings = new ArrayList<>(clock(asked, rights.nowMicros(), this.clock.instant()));
		if (!rights.isEnough()) {
			findings.add(Finding.fault(rights.problem(), "Grant it with " + rights.fix()));
		}
		if (!rights.hints()) {
			findings.add(Finding.warning(
					"The Redis user may not use the channel of hints: messages that other processes schedule for"
							+ " soon are found when the sweeper looks next",
					"Grant it with " + Rights.grantHints(this.calls.keySpace())));
		}
		return findings;
	}

	/** The time of Redis is of some moment between the question and the answer. */
	private static List<Finding> clock(Instant asked, long redisMicros, Instant answered) {
		Instant redis = Instant.EPOCH.plus(redisMicros, ChronoUnit.MICROS);
		Duration ahead = Duration.between(answered, redis);
		Duration behind = Duration.between(redis, asked);
		boolean isAhead = ahead.compareTo(TOLERATED) > 0;
		if (redisMicros == 0 || (!isAhead && behind.compareTo(TOLERATED) <= 0)) {
			return List.of();
		}
		return List.of(Finding.warning(
				"The clock of Redis is " + (isAhead ? ahead : behind).toMillis() + " ms "
						+ (isAhead ? "ahead of" : "behind") + " the clock of this machine: a due time that is counted"
						+ " from the latter comes so much too " + (isAhead ? "early" : "late"),
				"Keep the clocks of all machines alike (NTP), or schedule by a delay, which Redis's clock alone"
						+ " measures"));
	}

	private List<Finding> ofTheQueues(Collection<QueueSettings> consumed, Collection<QueueSettings> others,
			boolean limited) {
		List<Finding> findings = new ArrayList<>();
		try {
			for (QueueSettings queue : consumed) {
				findings.addAll(this.directory.conflict(queue));
			}
			for (QueueSettings queue : others) {
				findings.addAll(this.directory.conflict(queue));
			}
		}
		catch (StoreException failure) {
			if (!limited || failure.kind() != FailureKind.REFUSED) {
				throw failure;
			}
			logger.debug("The user has no right to see what is stored of the queues", failure);
		}
		return findings;
	}

	/** Services that others run forbid some commands, or have none of that name. */
	private static boolean isForbidden(StoreException failure) {
		String code = FailureKind.code(failure);
		return "NOPERM".equals(code) || "ERR".equals(code);
	}

	private static Finding refusal(StoreException failure) {
		if (failure.kind() != FailureKind.REFUSED) {
			throw failure;
		}
		String said = String.valueOf(failure.getMessage());
		if (said.contains("unexpected symbol near '#'")) {
			return Finding.fault(ServerRules.OLDEST + ", but this one does not know its scripts (" + said + ")",
					"Update it, or give delayed messages another server");
		}
		if ("NOAUTH".equals(FailureKind.code(failure)) || "WRONGPASS".equals(FailureKind.code(failure))) {
			return Finding.fault("Redis answers, but does not let this application in: " + said,
					"Set spring.data.redis.username and spring.data.redis.password to those of a user that it knows");
		}
		return Finding.fault("Redis answers, but refuses: " + said, "Mend what it says, or have it checked no more");
	}

}
