/**
 * Tools for the tests of this project.
 * <ul>
 * <li>Faults: {@link io.delayqueue.test.fault.FaultProxy} between a client and its
 * server, {@link io.delayqueue.test.fault.ServerClock}.</li>
 * <li>Failovers: {@link io.delayqueue.test.fault.RedisCluster} and
 * {@link io.delayqueue.test.fault.RedisSentinel}, whose servers are processes of
 * {@link io.delayqueue.test.redis.RedisServer}.</li>
 * <li>Costs: {@link io.delayqueue.test.fault.CommandLog} lists the commands that clients
 * sent, {@link io.delayqueue.test.fault.CountingScripts} counts the commands of
 * scripts.</li>
 * </ul>
 * This package does not depend on the delay queue.
 */
@NullMarked
package io.delayqueue.test.fault;

import org.jspecify.annotations.NullMarked;
