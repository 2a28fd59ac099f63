package io.delayqueue.delivery;

import java.time.Duration;

import io.delayqueue.lifecycle.LoopRegistry;
import io.delayqueue.store.Partition;

/**
 * Those who work for one consumer on one partition. They begin and end together; the ones
 * that bring messages in end first, those that see them out last.
 *
 * @param settlementWriter settles
 * @param leaseRenewer keeps the leases
 * @param reclaimer takes back what silent consumers hold
 * @param reader reads
 * @param loops knows who is meant to go on
 */
record PartitionActors(SettlementWriter settlementWriter, LeaseRenewer leaseRenewer, Reclaimer reclaimer,
		PartitionReader reader, LoopRegistry loops) {

	Partition partition() {
		return this.reader.partition();
	}

	void start() {
		this.settlementWriter.start();
		this.loops.add(this.settlementWriter, this.settlementWriter::status);
		this.leaseRenewer.start();
		this.loops.add(this.leaseRenewer, this.leaseRenewer::status);
		this.reclaimer.start();
		this.loops.add(this.reclaimer, this.reclaimer::status);
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

	/** Nothing more is read, but for the read that is under way. */
	void stopReading() {
		this.reclaimer.stop();
		this.loops.remove(this.reclaimer);
		this.reader.close();
	}

	void awaitLastRead(Duration timeout) {
		this.reader.await(timeout);
		this.loops.remove(this.reader);
	}

	void stop() {
		this.leaseRenewer.stop();
		this.loops.remove(this.leaseRenewer);
		this.settlementWriter.stop(Duration.ZERO);
		this.loops.remove(this.settlementWriter);
	}

}
