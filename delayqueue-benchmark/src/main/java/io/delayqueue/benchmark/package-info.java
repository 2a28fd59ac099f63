/**
 * Compares the starter with other implementations and with the limits of Redis. The
 * implementations alternate in one run, so that the ratios are valid on any machine.
 * Every workload fails if a message is lost, handled twice or handled early.
 *
 * <p>
 * {@link io.delayqueue.benchmark.Benchmark} is the command that runs the benchmark. A
 * {@link io.delayqueue.benchmark.Workload} is a measurement, and a
 * {@link io.delayqueue.benchmark.Peer} is a measured implementation.
 */
@NullMarked
package io.delayqueue.benchmark;

import org.jspecify.annotations.NullMarked;
