/**
 * A real Redis for tests and demos.
 *
 * <p>
 * {@link io.delayqueue.test.redis.SharedRedis} is the server that ordinary tests share,
 * and {@link io.delayqueue.test.redis.TestRedis} connects a Spring context to that
 * server. {@link io.delayqueue.test.redis.RedisServer} is a server for a single test, as
 * a child process that the test can kill, freeze and restart.
 * {@link io.delayqueue.test.redis.RedisBinary} finds the server program.
 * {@link io.delayqueue.test.redis.PersistentRedis} is a server for demos that outlives
 * the JVM.
 *
 * <p>
 * Every server process that this package starts binds to the loopback interface only.
 * This package does not depend on the delay queue. Only {@code TestRedis}, the containers
 * of {@code SharedRedis} and the test report need libraries beyond the JDK, and these
 * dependencies are optional.
 */
@NullMarked
package io.delayqueue.test.redis;

import org.jspecify.annotations.NullMarked;
