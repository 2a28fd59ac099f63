package io.delayqueue.store;

import io.delayqueue.MessageState;

/**
 * What the oracle knows of one message.
 */
final class OracleMessage {

	private final String id;

	private final String envelope;

	private long dueMillis;

	private long placeMillis;

	private MessageState state = MessageState.SCHEDULED;

	private String entry = "";

	private String consumer = "";

	private boolean counted;

	private int failures;

	private int crashes;

	private int defers;

	private String settled = "";

	private String reason = "";

	OracleMessage(String id, String envelope, long dueMillis) {
		this.id = id;
		this.envelope = envelope;
		this.dueMillis = dueMillis;
		this.placeMillis = dueMillis;
	}

	String id() {
		return this.id;
	}

	/** The token of the call that scheduled it. */
	String token() {
		return this.envelope.substring(0, CallToken.LENGTH);
	}

	long dueMillis() {
		return this.dueMillis;
	}

	/** Its score, while it is scheduled. */
	long placeMillis() {
		return this.placeMillis;
	}

	MessageState state() {
		return this.state;
	}

	boolean is(MessageState state) {
		return this.state == state;
	}

	String entry() {
		return this.entry;
	}

	FailureRecord failures() {
		return new FailureRecord(this.failures, this.crashes, this.defers, this.reason.isEmpty() ? null : this.reason);
	}

	String record() {
		return "1%016d%s".formatted(this.dueMillis, this.envelope);
	}

	boolean isHeldBy(String entry) {
		return is(MessageState.PENDING) && this.entry.equals(entry);
	}

	boolean isSettledBy(String entry) {
		return this.settled.equals(entry);
	}

	void swept() {
		this.state = MessageState.READY;
		this.entry = "";
	}

	/** Redis has chosen its entry. */
	void entry(String entry) {
		this.entry = entry;
	}

	void read(String consumer) {
		this.state = MessageState.PENDING;
		this.consumer = consumer;
	}

	void released(long placeMillis) {
		this.state = MessageState.SCHEDULED;
		this.placeMillis = placeMillis;
	}

	void moved(long dueMillis) {
		this.dueMillis = dueMillis;
		released(dueMillis);
	}

	void deadLettered(String reason) {
		this.state = MessageState.DEAD;
		failed(reason);
	}

	void retried(long placeMillis, String reason) {
		released(placeMillis);
		failed(reason);
	}

	void deferred(long placeMillis) {
		released(placeMillis);
		this.counted = true;
		this.defers++;
		this.settled = this.entry;
	}

	/** Its consumer has fallen silent. */
	void reclaimed(long placeMillis, int maxCrashes, String reason) {
		this.counted = true;
		this.crashes++;
		released(placeMillis);
		if (this.crashes >= maxCrashes) {
			this.state = MessageState.DEAD;
			this.reason = reason;
		}
	}

	void redriven(long placeMillis) {
		released(placeMillis);
		this.counted = false;
		this.failures = 0;
		this.crashes = 0;
		this.defers = 0;
		this.settled = "";
		this.reason = "";
	}

	private void failed(String reason) {
		this.counted = true;
		this.failures++;
		this.settled = this.entry;
		this.reason = reason;
	}

	/** Its delivery, which stays when the message itself is cancelled. */
	void expectDelivery(ExpectedDump dump) {
		dump.supersededPending(this.id, this.entry, this.consumer);
	}

	void expect(ExpectedDump dump) {
		dump.record(this.id, record());
		switch (this.state) {
			case SCHEDULED -> dump.scheduled(this.id, this.placeMillis);
			case READY -> dump.ready(this.id, this.entry);
			case PENDING -> dump.pending(this.id, this.entry, this.consumer);
			case DEAD -> dump.dead(this.id, 0);
			default -> throw new IllegalStateException(this.state + " does not occur");
		}
		if (this.counted) {
			dump.failures(this.id,
					"%d|%d|%d|%s|%s".formatted(this.failures, this.crashes, this.defers, this.settled, this.reason));
		}
	}

}
