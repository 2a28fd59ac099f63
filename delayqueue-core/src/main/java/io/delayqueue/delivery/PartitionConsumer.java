package io.delayqueue.delivery;

import java.time.Duration;

/**
 * Consumes one partition of a queue. The parts of this consumer start and stop together:
 * on a stop, the consumer ends reading first, and ends settling last.
 *
 * @param state the state of the partition, which all parts share
 * @param reader reads messages of the partition
 * @param writer settles the messages that were read
 * @param renewer renews the leases of the messages that were read
 * @param reclaimer takes back the messages of consumers that have stopped renewing their
 * leases
 */
record PartitionConsumer(PartitionState state, PartitionReader reader, SettlementWriter writer, LeaseRenewer renewer,
		Reclaimer reclaimer) {

	void start() {
		this.writer.start();
		this.renewer.renewNow();
		this.reclaimer.checkNow();
		this.reader.start();
	}

	void wakeUp() {
		this.writer.wakeUp();
		this.renewer.renewNow();
		this.reclaimer.checkNow();
		this.reader.signal();
		this.reader.dueIn(0);
	}

	/**
	 * Stops reading and reclaiming messages. A call to Redis that has begun is completed.
	 */
	void stopReading() {
		this.reclaimer.stop();
		this.reader.close();
	}

	void awaitLastRead(Duration timeout) {
		this.reader.await(timeout);
	}

	void stop() {
		this.renewer.stop();
		this.writer.stop(Duration.ZERO);
	}

}
