/**
 * Compares the starter with its peers and with the limits of Redis, alternating in one
 * run, so that the ratios are valid on any machine. Every workload fails if a message is
 * lost, handled twice or handled early.
 *
 * <p>
 * {@link io.delayqueue.benchmark.Benchmark} is the command, a
 * {@link io.delayqueue.benchmark.Workload} a measurement, a
 * {@link io.delayqueue.benchmark.Peer} a measured implementation.
 */
@NullMarked
package io.delayqueue.benchmark;

import org.jspecify.annotations.NullMarked;
