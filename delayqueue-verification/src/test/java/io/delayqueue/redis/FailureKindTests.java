package io.delayqueue.redis;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.NoSuchElementException;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.PartitionSelectorException;
import io.lettuce.core.cluster.models.partitions.Partitions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.exceptions.JedisClusterOperationException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.TooManyClusterRedirectionsException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Error messages as servers and drivers send them, for errors that a single server does
 * not produce; Spring wraps them in general types.
 */
class FailureKindTests {

	@ParameterizedTest
	@ValueSource(strings = { "TRYAGAIN Multiple keys request during rehashing of slot",
			"CLUSTERDOWN The cluster is down", "CLUSTERDOWN Hash slot not served", "MOVED 3999 127.0.0.1:6381",
			"ASK 3999 127.0.0.1:6381", "LOADING Redis is loading the dataset in memory",
			"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
			"NOREPLICAS Not enough good replicas to write.",
			"MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.",
			"READONLY You can't write against a read only replica.",
			"BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
			"OOM command not allowed when used memory > 'maxmemory'.",
			"OOM allow-oom flag is not set on the script, can not run it when used memory > 'maxmemory'",
			"NOSCRIPT No matching script. Please use EVAL.", "ERR max number of clients reached" })
	void redisRanNothing(String message) {
		assertThat(ofJedis(message)).isEqualTo(FailureKind.NOT_EXECUTED);
		assertThat(ofLettuce(message)).isEqualTo(FailureKind.NOT_EXECUTED);
	}

	@ParameterizedTest
	@ValueSource(strings = { "WRONGTYPE Operation against a key holding the wrong kind of value",
			"NOPERM this user has no permissions to run the 'evalsha' command", "NOAUTH Authentication required.",
			"WRONGPASS invalid username-password pair or user is disabled.", "LAYOUT 2 is stored, 1 is known",
			"ERR user_script:12: Script attempted to access nonexistent global variable 'x'",
			"ERR unknown command 'EVALSHA'", "CROSSSLOT Keys in request don't hash to the same slot",
			"NOGROUP No such key 'a' or consumer group 'b'" })
	void redisWillRefuseItAgain(String message) {
		assertThat(ofJedis(message)).isEqualTo(FailureKind.REFUSED);
		assertThat(ofLettuce(message)).isEqualTo(FailureKind.REFUSED);
	}

	@ParameterizedTest
	@ValueSource(strings = { "No more cluster attempts left.", "Cluster retry deadline exceeded." })
	void aClusterDriverThatGaveUpMayHaveSentIt(String message) {
		JedisClusterOperationException gaveUp = new JedisClusterOperationException(message);
		gaveUp.addSuppressed(new JedisConnectionException("Connection refused"));
		assertThat(FailureKind.of(new InvalidDataAccessApiUsageException(message, gaveUp)))
			.isEqualTo(FailureKind.UNKNOWN);
		assertThat(FailureKind.of(new TooManyClusterRedirectionsException(message, gaveUp)))
			.isEqualTo(FailureKind.UNKNOWN);
		assertThat(FailureKind.of(new InvalidDataAccessApiUsageException(message,
				new JedisClusterOperationException(message, new ConnectException("Connection refused")))))
			.isEqualTo(FailureKind.UNKNOWN);
	}

	@Test
	void withoutAConnectionNothingWasSent() {
		assertNotExecuted(new JedisException("Could not get a resource from the pool",
				new NoSuchElementException("Timeout waiting for idle object, borrowMaxWaitDuration=PT1S")));
		assertNotExecuted(new JedisConnectionException("Failed to connect to any host resolved for DNS name."));
		assertNotExecuted(new JedisConnectionException(new ConnectException("Connection refused")));
		assertNotExecuted(new JedisConnectionException(new NoRouteToHostException("No route to host")));
		assertNotExecuted(new JedisConnectionException(new UnknownHostException("redis.invalid")));
		assertNotExecuted(new JedisException("All sentinels down, cannot determine where is mymaster master"));
		assertNotExecuted(new RedisConnectionException("Unable to connect to 127.0.0.1/<unresolved>:6379"));
		assertNotExecuted(
				new PartitionSelectorException("Cannot determine a partition to read for slot 1", new Partitions()));
	}

	@Test
	void anExhaustedPoolIsDistinguishedFromAnUnavailableRedis() {
		assertThat(FailureKind.isPoolExhausted(new JedisException("Could not get a resource from the pool",
				new NoSuchElementException("Timeout waiting for idle object, borrowMaxWaitDuration=PT1S"))))
			.isTrue();
		assertThat(FailureKind.isPoolExhausted(new JedisException("Could not get a resource from the pool",
				new NoSuchElementException("Pool exhausted"))))
			.isTrue();
		assertThat(FailureKind.isPoolExhausted(new JedisException("Could not get a resource from the pool",
				new NoSuchElementException("Unable to validate object"))))
			.isFalse();
		assertThat(FailureKind.isPoolExhausted(new JedisConnectionException("Failed to connect to host:6379")))
			.isFalse();
	}

	@Test
	void aCallThatWasSentMayHaveRun() {
		assertUnknown(new JedisConnectionException("Unexpected end of stream."));
		assertUnknown(new ClassCastException("class [B cannot be cast to class java.util.List"));
		assertUnknown(new JedisConnectionException(new SocketTimeoutException("Read timed out")));
		assertUnknown(new JedisConnectionException(new SocketException("Connection reset")));
		assertUnknown(new JedisConnectionException(new SocketException("Broken pipe")));
		assertUnknown(new RedisCommandTimeoutException("Command timed out after 500 millisecond(s)"));
		assertUnknown(new RedisException(new IOException("Connection reset by peer")));
		assertUnknown(new RedisException("Connection closed"));
		assertThat(FailureKind.of(new QueryTimeoutException("Redis command timed out",
				new RedisCommandTimeoutException("Command timed out after 500 millisecond(s)"))))
			.isEqualTo(FailureKind.UNKNOWN);
		assertThat(FailureKind.of(new RedisSystemException("Redis exception", null))).isEqualTo(FailureKind.UNKNOWN);
	}

	@Test
	void theCodeIsTheFirstWordOfTheErrorReply() {
		assertThat(FailureKind.code(new JedisDataException("OOM command not allowed"))).isEqualTo("OOM");
		assertThat(FailureKind.code(new JedisDataException("-READONLY You can't write"))).isEqualTo("READONLY");
		assertThat(FailureKind.code(new JedisConnectionException("Unexpected end of stream."))).isNull();
		assertThat(FailureKind.code(new IllegalStateException())).isNull();
	}

	@Test
	void cyclicCausesAreVisitedOnce() {
		IOException first = new IOException("first");
		IOException second = new IOException("second", first);
		first.initCause(second);
		assertThat(FailureKind.of(first)).isEqualTo(FailureKind.UNKNOWN);
		assertThat(FailureKind.errorText(first)).isNotBlank();
	}

	private static FailureKind ofJedis(String message) {
		return FailureKind.of(new InvalidDataAccessApiUsageException(message, new JedisDataException(message)));
	}

	private static FailureKind ofLettuce(String message) {
		return FailureKind
			.of(new RedisSystemException("Error in execution", new RedisCommandExecutionException(message)));
	}

	private static void assertNotExecuted(Exception cause) {
		assertThat(FailureKind.of(new RedisConnectionFailureException("Redis connection failed", cause)))
			.as(cause.toString())
			.isEqualTo(FailureKind.NOT_EXECUTED);
	}

	private static void assertUnknown(Exception cause) {
		assertThat(FailureKind.of(new RedisConnectionFailureException(String.valueOf(cause.getMessage()), cause)))
			.as(cause.toString())
			.isEqualTo(FailureKind.UNKNOWN);
	}

}
