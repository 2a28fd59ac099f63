/**
 * A real Redis for tests and demos.
 *
 * <p>
 * {@link io.delayqueue.test.redis.SharedRedis} is the one server of ordinary tests, and
 * {@link io.delayqueue.test.redis.TestRedis} connects a Spring context to it.
 * {@link io.delayqueue.test.redis.RedisServer} is a server of its own, as a child process
 * that a test can kill, freeze and restart. The server program comes from
 * {@link io.delayqueue.test.redis.RedisBinary}.
 * {@link io.delayqueue.test.redis.PersistentRedis} is the server of a demo.
 *
 * <p>
 * Every server binds to the loopback interface only. This package does not depend on the
 * delay queue. Only {@code TestRedis}, the Docker branch of {@code SharedRedis} and the
 * line in the test report need more than the JDK, and these dependencies are optional.
 */
@NullMarked
package io.delayqueue.test.redis;

import org.jspecify.annotations.NullMarked;
