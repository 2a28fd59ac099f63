package io.delayqueue.delivery;

import java.time.Duration;

import io.delayqueue.lifecycle.LoopRegistry;

/**
 * The actors of one consumer for one partition. They start and stop together: on a stop
 * the actors that bring messages in end first, and those that settle them end last.
 *
 * @param reader reads messages
 * @param settlementWriter settles messages
 * @param leaseRenewer renews leases
 * @param reclaimer reclaims messages of silent consumers
 * @param loops the registry of background activities
 */
record PartitionConsumer(PartitionReader reader, SettlementWriter settlementWriter, LeaseRenewer leaseRenewer,
		Reclaimer reclaimer, LoopRegistry loops) {

	void start() {
		this.settlementWriter.start();
		this.loops.add(this.settlementWriter, this.settlementWriter::status);
		this.leaseRenewer.start();
		this.reclaimer.start();
		this.reader.start();
		this.loops.add(this.reader, this.reader::status);
	}

	void wakeUp() {
		this.settlementWriter.wakeUp();
		this.leaseRenewer.wakeUp();
		this.reclaimer.wakeUp();
		this.reader.signal();
	}

	void empty(long asOfNanos) {
		this.reclaimer.empty(asOfNanos);
		this.reader.empty(asOfNanos);
	}

	/** Ends reading, but for the read that is under way. */
	void stopReading() {
		this.reclaimer.stop();
		this.reader.close();
	}

	void awaitLastRead(Duration timeout) {
		this.reader.await(timeout);
		this.loops.remove(this.reader);
	}

	void stop() {
		this.leaseRenewer.stop();
		this.settlementWriter.stop(Duration.ZERO);
		this.loops.remove(this.settlementWriter);
	}

}
