package io.delayqueue.store;

import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.delayqueue.MessageState;
import io.delayqueue.record.CallToken;
import io.delayqueue.record.FailureRecord;
import org.jspecify.annotations.Nullable;

/**
 * One message of the oracle.
 */
final class OracleMessage {

	private static final Pattern LATEST = Pattern.compile(".{" + CallToken.LENGTH + "}\\{\"latest\":\"(\\d{16})");

	private final String id;

	private final @Nullable String group;

	private String envelope;

	private long dueMillis;

	private long placeMillis;

	private MessageState state = MessageState.SCHEDULED;

	private String entry = "";

	private String consumer = "";

	private final OracleFailures failures = new OracleFailures();

	private boolean hasSlot = true;

	private boolean active;

	/** ms since 1970, -1 if it never expires. */
	private long expiryMillis;

	private boolean expiryMoves;

	OracleMessage(NewMessage message, String envelope, long dueMillis) {
		this.id = message.id();
		this.group = message.group();
		this.envelope = envelope;
		this.dueMillis = dueMillis;
		this.placeMillis = dueMillis;
		expires(message.expiry());
	}

	/** The delivery of another message, which continues when that is replaced. */
	private OracleMessage(OracleMessage delivered) {
		this.id = delivered.id;
		this.group = delivered.group;
		this.envelope = delivered.envelope;
		this.entry = delivered.entry;
		this.consumer = delivered.consumer;
		this.state = delivered.state;
	}

	OracleMessage delivery() {
		return new OracleMessage(this);
	}

	private void expires(Expiry expiry) {
		String form = expiry.toString();
		this.expiryMoves = form.startsWith("+");
		this.expiryMillis = form.isEmpty() ? -1
				: this.expiryMoves ? this.dueMillis + Long.parseLong(form.substring(1)) : Long.parseLong(form);
	}

	String id() {
		return this.id;
	}

	StoredId storedId() {
		return new StoredId(this.id, this.group);
	}

	/** Its id and group in the form that Redis stores. */
	String name() {
		return TestMessages.stored(this.id, this.group);
	}

	/** The token of the call that scheduled it. */
	String token() {
		return this.envelope.substring(0, CallToken.LENGTH);
	}

	@Nullable String group() {
		return this.group;
	}

	/** Whether it has a slot in the quota of its group. */
	boolean hasSlot() {
		return this.hasSlot;
	}

	void hasSlot(boolean hasSlot) {
		this.hasSlot = hasSlot;
	}

	/** Whether it has an active slot of its group. */
	boolean isActive() {
		return this.active;
	}

	void active(boolean active) {
		this.active = active;
	}

	/** The latest time to which it may be postponed. */
	OptionalLong latest() {
		Matcher latest = LATEST.matcher(this.envelope);
		return latest.lookingAt() ? OptionalLong.of(Long.parseLong(latest.group(1))) : OptionalLong.empty();
	}

	long expiryMillis() {
		return this.expiryMillis;
	}

	/** Whether its expiry is before another due time. */
	boolean expiresBefore(long dueMillis) {
		return this.expiryMillis >= 0 && !this.expiryMoves && this.expiryMillis < dueMillis;
	}

	/** A due time, bounded by its expiry. */
	long bounded(long dueMillis) {
		return (this.expiryMillis >= 0) ? Math.min(dueMillis, this.expiryMillis) : dueMillis;
	}

	long dueMillis() {
		return this.dueMillis;
	}

	/** The score of the message while it is scheduled. */
	long placeMillis() {
		return this.placeMillis;
	}

	MessageState state() {
		return this.state;
	}

	/** Whether the next sweep processes it. */
	boolean isNext(long nowMillis) {
		return is(MessageState.SCHEDULED) && this.placeMillis <= nowMillis;
	}

	/**
	 * The call that stored it as a replacement is repeated, and completes what an earlier
	 * run may have left undone.
	 */
	void repeated(NewMessage message) {
		if (!this.failures.isCounted() && (is(MessageState.SCHEDULED) || is(MessageState.PARKED))) {
			this.placeMillis = Math.min(this.placeMillis, this.dueMillis);
			if (this.expiryMillis < 0) {
				expires(message.expiry());
			}
		}
	}

	boolean is(MessageState state) {
		return this.state == state;
	}

	String entry() {
		return this.entry;
	}

	FailureRecord failures() {
		return this.failures.record();
	}

	String record() {
		return "1%016d%s".formatted(this.dueMillis, this.envelope);
	}

	boolean isHeldBy(String entry) {
		return is(MessageState.PENDING) && this.entry.equals(entry);
	}

	boolean isSettledBy(String entry) {
		return this.failures.isSettledBy(entry);
	}

	void swept() {
		this.state = MessageState.READY;
		this.entry = "";
		this.active = this.group != null;
	}

	void parked() {
		this.state = MessageState.PARKED;
	}

	/** A new message replaces this one. */
	void replaced(NewMessage message, String envelope, long dueMillis, boolean stays) {
		this.envelope = envelope;
		this.dueMillis = dueMillis;
		this.hasSlot = true;
		expires(message.expiry());
		this.failures.reset();
		if (!stays) {
			released(dueMillis);
		}
	}

	/** Redis has assigned the stream entry of the message. */
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

	/**
	 * A message of a group that is released for later gets an entry in failures with zero
	 * counts.
	 */
	void releasedForLater(long placeMillis) {
		if (this.group != null && placeMillis > States.DUE) {
			this.failures.count();
		}
		released(placeMillis);
	}

	void moved(long dueMillis) {
		if (this.expiryMoves) {
			this.expiryMillis += dueMillis - this.dueMillis;
		}
		this.dueMillis = dueMillis;
		released(dueMillis);
	}

	void deadLettered(String reason) {
		this.state = MessageState.DEAD;
		this.failures.failed(this.entry, reason);
	}

	void retried(long placeMillis, String reason) {
		released(placeMillis);
		this.failures.failed(this.entry, reason);
	}

	void deferred(long placeMillis) {
		released(placeMillis);
		this.failures.deferred(this.entry);
	}

	/** The consumer of the message has stopped renewing the lease. */
	void reclaimed(long placeMillis, int maxCrashes, String reason) {
		released(placeMillis);
		if (this.failures.crashed(maxCrashes, reason)) {
			this.state = MessageState.DEAD;
		}
	}

	void redriven(long placeMillis) {
		released(placeMillis);
		this.failures.reset();
		this.expiryMillis = -1;
		this.expiryMoves = false;
		this.hasSlot = true;
	}

	/** Adds its delivery, which stays when the message itself is cancelled. */
	void expectDelivery(ExpectedDump dump) {
		dump.supersededPending(name(), this.entry, this.consumer);
	}

	void expect(ExpectedDump dump) {
		dump.record(name(), record());
		switch (this.state) {
			case SCHEDULED -> dump.scheduled(name(), this.placeMillis);
			case READY -> dump.ready(name(), this.entry);
			case PENDING -> dump.pending(name(), this.entry, this.consumer);
			case DEAD -> dump.dead(name(), 0);
			case PARKED -> dump.parked(name(), this.dueMillis, this.group);
		}
		if (this.group != null && this.hasSlot) {
			dump.grouped(name(), this.dueMillis, this.group);
		}
		else if (this.group != null) {
			dump.groupedWithoutSlot(name(), this.dueMillis, this.group);
		}
		if (this.active) {
			dump.active(name(), this.group);
		}
		if (this.expiryMillis >= 0) {
			dump.expiry(name(), this.expiryMillis + (this.expiryMoves ? ".5" : ""));
		}
		if (this.failures.isCounted()) {
			dump.failures(name(), this.failures.text());
		}
	}

}
