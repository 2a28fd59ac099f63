/**
 * A real Redis for tests and demos. Begin with:
 * <ul>
 * <li>{@link io.delayqueue.test.redis.RedisServer}: a server for a single test, which can
 * be killed, frozen and restarted;</li>
 * <li>{@link io.delayqueue.test.redis.SharedRedis}: the server that ordinary tests share;
 * {@link io.delayqueue.test.redis.TestRedis} connects a Spring context to it;</li>
 * <li>{@link io.delayqueue.test.redis.PersistentRedis}: a server for demos that outlives
 * the JVM.</li>
 * </ul>
 * {@link io.delayqueue.test.redis.RedisBinary} finds the server program.
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
