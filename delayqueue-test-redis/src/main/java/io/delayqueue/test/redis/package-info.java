/**
 * A real Redis for tests and demos: servers, clusters and sentinels as child processes,
 * network faults on demand, and a log of the commands that clients sent.
 *
 * <p>
 * {@link io.delayqueue.test.redis.RedisServer} is the base;
 * {@link io.delayqueue.test.redis.RedisCluster} and
 * {@link io.delayqueue.test.redis.RedisSentinel} consist of such servers.
 * {@link io.delayqueue.test.redis.SharedRedis} is the one server of ordinary tests,
 * {@link io.delayqueue.test.redis.TestRedis} connects a Spring context to it. The binary
 * comes from {@link io.delayqueue.test.redis.RedisBinary}.
 *
 * <p>
 * Everything binds to the loopback interface only. This package does not depend on the
 * delay queue. Only {@code TestRedis}, the Docker branch of {@code SharedRedis} and the
 * line in the test report need more than the JDK, and these dependencies are optional.
 */
@NullMarked
package io.delayqueue.test.redis;

import org.jspecify.annotations.NullMarked;
