package io.delayqueue.delivery;

import java.time.Duration;

import io.delayqueue.lifecycle.LoopRegistry;

/**
 * Consumes one partition. Its parts start and stop together: on a stop, reading ends
 * first and settling ends last.
 *
 * @param state the state that the parts share
 * @param reader reads messages
 * @param writer settles messages
 * @param renewer renews leases
 * @param reclaimer reclaims messages of silent consumers
 * @param loops the registry of background activities
 */
record PartitionConsumer(PartitionState state, PartitionReader reader, SettlementWriter writer, LeaseRenewer renewer,
		Reclaimer reclaimer, LoopRegistry loops) {

	void start() {
		this.writer.start();
		this.loops.add(this.writer, this.writer::status);
		this.renewer.renewNow();
		this.reclaimer.checkNow();
		this.reader.start();
		this.loops.add(this.reader, this.reader::status);
	}

	void wakeUp() {
		this.writer.wakeUp();
		this.renewer.renewNow();
		this.reclaimer.checkNow();
		this.reader.signal();
		this.reader.dueIn(0);
	}

	/** Ends reading and reclaiming; a read that is under way goes on. */
	void stopReading() {
		this.reclaimer.stop();
		this.reader.close();
	}

	void awaitLastRead(Duration timeout) {
		this.reader.await(timeout);
		this.loops.remove(this.reader);
	}

	void stop() {
		this.renewer.stop();
		this.writer.stop(Duration.ZERO);
		this.loops.remove(this.writer);
	}

}
