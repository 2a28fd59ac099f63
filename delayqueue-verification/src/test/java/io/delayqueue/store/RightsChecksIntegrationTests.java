package io.delayqueue.store;

import java.net.URI;
import java.util.List;

import io.delayqueue.queue.Partition;
import io.delayqueue.server.Finding;
import io.delayqueue.server.Finding.Severity;
import io.delayqueue.test.redis.AppendOnly;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RespException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The findings for users with few rights.
 */
class RightsChecksIntegrationTests extends CheckedServer {

	@ParameterizedTest
	@EnumSource
	void theResultOfAForbiddenCheckIsNotKnown(Driver driver) {
		this.redis.call("CONFIG", "SET", "appendonly", "no");
		this.redis.call("CONFIG", "SET", "save", "");
		assertThat(findings(driver, limited("-config"), List.of(ORDERS), List.of())).singleElement()
			.satisfies((finding) -> assertThat(finding.problem()).contains("no append-only file"));

		assertThat(findings(driver, limited("-config", "-info"), List.of(ORDERS), List.of())).singleElement()
			.satisfies((finding) -> {
				assertThat(finding.severity()).isEqualTo(Severity.WARNING);
				assertThat(finding.problem()).contains("version of the server", "are not known", "NOPERM");
			});
	}

	@Test
	void everyCheckedCallHasANumberOfWordsThatItsCommandAccepts() {
		for (String call : Rights.CALLS_OF_CONSUMERS) {
			String[] words = call.split("[ |]");
			String command = call.contains("|") ? words[0] + "|" + words[1] : words[0];
			List<?> info = (List<?>) ((List<?>) this.redis.call("COMMAND", "INFO", command)).get(0);
			long arity = ((Number) info.get(1)).longValue();

			assertThat((long) words.length).as(call).satisfies((length) -> {
				if (arity < 0) {
					assertThat(length).isGreaterThanOrEqualTo(-arity);
				}
				else {
					assertThat(length).isEqualTo(arity);
				}
			});
		}
	}

	@ParameterizedTest
	@EnumSource
	void aRightAboutWhichTheServerGivesNoAnswerIsNotMissing(Driver driver) {
		try (RedisServer limited = RedisServer.builder()
			.appendOnly(AppendOnly.EVERY_SECOND)
			.setting("rename-command", "ZSCAN", "")
			.start()) {
			assertThat(findings(driver, limited.uri(), List.of(ORDERS), List.of())).singleElement()
				.satisfies((finding) -> {
					assertThat(finding.severity()).isEqualTo(Severity.WARNING);
					assertThat(finding.problem()).contains("all rights is not known", "zscan");
				});
		}
	}

	@ParameterizedTest
	@EnumSource
	void allMissingRightsAreOneFaultAndItsFixIsEnough(Driver driver) {
		URI user = limited("-@all", "+@connection", "+evalsha", "+eval", "+info", "resetkeys", "~dq:{*",
				"resetchannels", "&dq:hints");

		Finding fault = findings(driver, user, List.of(ORDERS), List.of()).get(0);

		assertThat(fault.isFault()).isTrue();
		assertThat(fault.problem()).contains("hdel", "xreadgroup", "zscan", "beginning with 'dq:'",
				"use the key 'dq:queues'");
		assertThat(fault.fix()).contains("+xgroup|create", "~dq:*").doesNotContain("+eval");
		grant(fault);
		List<Finding> left = findings(driver, user, List.of(ORDERS), List.of());
		assertThat(left).singleElement().satisfies((finding) -> {
			assertThat(finding.severity()).isEqualTo(Severity.WARNING);
			assertThat(finding.problem()).contains("channel of hints");
		});
		grant(left.get(0));
		assertThat(findings(driver, user, List.of(ORDERS), List.of())).isEmpty();
	}

	@Test
	void aProducerNeedsFewerRights() {
		URI user = limited("-xreadgroup", "-xrevrange", "-xclaim", "-xgroup", "-hscan");

		assertThat(findings(Driver.JEDIS, user, List.of(), List.of(ORDERS))).isEmpty();
		assertThat(findings(Driver.JEDIS, user, List.of(ORDERS), List.of())).singleElement()
			.satisfies((finding) -> assertThat(finding.problem())
				.contains("[hscan, xclaim, xgroup|create, xgroup|delconsumer, xreadgroup, xrevrange]"));
	}

	@Test
	void theRequiredRightsSufficeToCountAndListQueues() {
		URI producer = limited(exactly(Rights.OF_PRODUCERS));
		assertThat(findings(Driver.JEDIS, producer, List.of(), List.of(ORDERS))).isEmpty();
		try (Connected connected = Connected.over(Driver.JEDIS, producer)) {
			RedisCalls calls = new RedisCalls(connected.template(), new KeySpace("dq"));
			assertThat(new Snapshots(calls).of(new Partition("orders", 0)).scheduled()).isZero();
		}

		URI consumer = limited(exactly(Rights.OF_CONSUMERS));
		assertThat(findings(Driver.JEDIS, consumer, List.of(ORDERS), List.of())).isEmpty();
		try (Connected connected = Connected.over(Driver.JEDIS, consumer)) {
			RedisCalls calls = new RedisCalls(connected.template(), new KeySpace("dq"));
			assertThat(new QueueDirectory(calls).all()).isEmpty();
		}
	}

	@ParameterizedTest
	@EnumSource
	void withoutTheKeysOnlyTheKeysAreReported(Driver driver) {
		for (String keys : List.of("resetkeys", "~shop:*")) {
			URI user = limited("resetkeys", keys);
			assertThat(findings(driver, user, List.of(ORDERS), List.of())).singleElement().satisfies((fault) -> {
				assertThat(fault.isFault()).isTrue();
				assertThat(fault.problem()).contains("may not use the keys", "NOPERM");
				assertThat(fault.fix()).isEqualTo("Grant the keys with ACL SETUSER <user> ~dq:*");
				grant(fault);
			});
			assertThat(findings(driver, user, List.of(ORDERS), List.of())).isEmpty();
		}
	}

	@Test
	void withoutTheRightToRunScriptsAllRequiredRightsAreReported() {
		URI user = limited("-evalsha");
		Finding fault = findings(Driver.JEDIS, user, List.of(ORDERS), List.of()).get(0);

		assertThat(fault.isFault()).isTrue();
		assertThat(fault.problem()).contains("NOPERM");
		grant(fault);
		assertThat(findings(Driver.JEDIS, user, List.of(ORDERS), List.of())).isEmpty();
	}

	@ParameterizedTest
	@EnumSource
	void rejectedCredentialsAreReported(Driver driver) {
		this.redis.call("CONFIG", "SET", "requirepass", "secret");
		URI wrong = URI.create("redis://:wrong@" + this.redis.host() + ":" + this.redis.port());

		for (URI uri : List.of(this.redis.uri(), wrong)) {
			assertThat(findings(driver, uri, List.of(ORDERS), List.of())).singleElement().satisfies((finding) -> {
				assertThat(finding.isFault()).isTrue();
				assertThat(finding.problem()).contains("rejects this application's credentials")
					.containsAnyOf("NOAUTH", "WRONGPASS");
			});
		}
	}

	/** A user with all rights but the given ones. */
	private URI limited(String... rules) {
		String[] command = new String[9 + rules.length];
		System.arraycopy(new String[] { "ACL", "SETUSER", "limited", "reset", "on", ">secret", "~*", "&*", "+@all" }, 0,
				command, 0, 9);
		System.arraycopy(rules, 0, command, 9, rules.length);
		this.redis.call(command);
		return URI.create("redis://limited:secret@" + this.redis.host() + ":" + this.redis.port());
	}

	/** Rules that grant only the required rights and those that every driver needs. */
	private static String[] exactly(List<String> needed) {
		String rules = "resetkeys resetchannels -@all +@connection +info " + Rights.all(new KeySpace("dq"), needed);
		return rules.split(" ");
	}

	/** Runs the fix of a finding, without rules that the user already has. */
	private void grant(Finding finding) {
		for (String rule : finding.fix().split(" ")) {
			if (rule.matches("[~&+].*")) {
				try {
					this.redis.call("ACL", "SETUSER", "limited", rule);
				}
				catch (RespException needless) {
					assertThat(needless).hasMessageContaining("does not have any effect");
				}
			}
		}
	}

}
