package io.delayqueue.journeys;

import java.net.URI;

import io.delayqueue.test.fault.LeastPrivilege;
import io.delayqueue.test.redis.RedisBinary;
import io.delayqueue.test.redis.RedisServer;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every feature on the servers that {@code .ci/servers} has unpacked, as a user with the
 * documented rights. The build says so if there is none.
 */
@ParameterizedClass(allowZeroInvocations = true)
@MethodSource("io.delayqueue.journeys.UnpackedServers#all")
@SuppressWarnings("NullAway.Init")
class NewestServersJourneyTests extends EveryFeature {

	private static RedisServer redis;

	private static StartedShop shop;

	NewestServersJourneyTests(RedisBinary server) {
	}

	@BeforeParameterizedClassInvocation
	static void start(RedisBinary server) {
		redis = RedisServer.builder().binary(server).start();
		StartedShop.Builder builder = StartedShop
			.on(URI.create("redis://shop:secret@" + redis.host() + ":" + redis.port()));
		redis.call(LeastPrivilege.command(builder.prefix()).toArray(String[]::new));
		shop = builder
			.with("spring.data.redis.client-type", server.describe().startsWith("valkey") ? "lettuce" : "jedis")
			.start();
	}

	@AfterParameterizedClassInvocation
	static void stop() {
		try (RedisServer server = redis) {
			shop.close();
			LeastPrivilege.assertNothingElseWasRefused(server);
		}
	}

	@Override
	StartedShop shop() {
		return shop;
	}

}
