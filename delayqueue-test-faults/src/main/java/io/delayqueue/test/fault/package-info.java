/**
 * Tools for the tests of this project:
 * <ul>
 * <li>Faults: {@link io.delayqueue.test.fault.FaultProxy} simulates network faults
 * between a client and its server, {@link io.delayqueue.test.fault.ServerClock} moves the
 * clock of a server.</li>
 * <li>Failovers: {@link io.delayqueue.test.fault.RedisCluster} and
 * {@link io.delayqueue.test.fault.RedisSentinel}, whose servers are processes of
 * {@link io.delayqueue.test.redis.RedisServer}.</li>
 * <li>Costs: {@link io.delayqueue.test.fault.CommandLog} lists the commands that clients
 * sent, {@link io.delayqueue.test.fault.CountingScripts} counts the commands that scripts
 * run.</li>
 * </ul>
 * This package does not call the delay queue; {@link io.delayqueue.test.fault.Scripts}
 * reads the files of its scripts.
 */
@NullMarked
package io.delayqueue.test.fault;

import org.jspecify.annotations.NullMarked;
