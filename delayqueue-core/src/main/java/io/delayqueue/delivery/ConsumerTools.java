package io.delayqueue.delivery;

import java.time.Duration;

import io.delayqueue.lifecycle.LoopRegistry;
import io.delayqueue.lifecycle.RedisGate;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.observe.MessageTracing;
import io.delayqueue.observe.QueueObserver;
import io.delayqueue.store.HintChannel;
import io.delayqueue.store.Leases;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.ReadyMessages;

/**
 * What all consumers of a process share.
 *
 * @param ready the consumer's side of Redis
 * @param leases the leases of pending messages
 * @param directory the partition counts of the queues
 * @param signals the wake-ups
 * @param hints the channel to the sweepers of other processes
 * @param gate the gate to Redis
 * @param loops the registry of background activities
 * @param observer is notified of events
 * @param tracing begins a span for each call of a handler
 * @param backstop the longest interval between two reads of an idle partition
 */
public record ConsumerTools(ReadyMessages ready, Leases leases, QueueDirectory directory, Signals signals,
		HintChannel hints, RedisGate gate, LoopRegistry loops, QueueObserver observer, MessageTracing tracing,
		Duration backstop) {
}
