/**
 * A real Redis for tests and demos: servers, clusters and sentinels as child processes,
 * network faults on demand, and a log of the commands that clients sent.
 * <p>
 * {@link io.delayqueue.test.redis.RedisServer} is the base;
 * {@link io.delayqueue.test.redis.RedisCluster} and
 * {@link io.delayqueue.test.redis.RedisSentinel} are made of it.
 * {@link io.delayqueue.test.redis.SharedRedis} is the one server of ordinary tests,
 * {@link io.delayqueue.test.redis.TestRedis} hands it to a Spring context. The binary
 * comes from {@link io.delayqueue.test.redis.RedisBinary}.
 * <p>
 * Everything binds to the loopback interface only. Nothing here knows the delay queue;
 * only {@code TestRedis}, the Docker branch of {@code SharedRedis} and the line in the
 * test report need more than the JDK, and what they need is optional.
 */
@NullMarked
package io.delayqueue.test.redis;

import org.jspecify.annotations.NullMarked;
