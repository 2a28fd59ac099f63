/**
 * Measures the starter, as a user has it, beside its peers and beside what Redis itself
 * can do, all in one run and in turns, so that the ratios hold on any machine. Every
 * workload fails on a message that is lost, handled twice or handled early.
 *
 * <p>
 * {@link io.delayqueue.benchmark.Benchmark} is the command, a
 * {@link io.delayqueue.benchmark.Workload} what is done, a
 * {@link io.delayqueue.benchmark.Peer} who does it.
 */
@NullMarked
package io.delayqueue.benchmark;

import org.jspecify.annotations.NullMarked;
