package io.delayqueue.delivery;

import org.jspecify.annotations.Nullable;

/**
 * The one decision about a delivery.
 */
final class Settlement {

	/** What is decided. */
	enum Kind {

		/** Handled. */
		ACKNOWLEDGE,

		/** Not started: back without blame. */
		RELEASE,

		/** Failed for good: aside with a reason. */
		DEAD_LETTER

	}

	private final DeliveryTask task;

	private final Kind kind;

	private final @Nullable String reason;

	/** Confined to the settler: whether Redis may have seen this already. */
	private boolean repeated;

	private Settlement(DeliveryTask task, Kind kind, @Nullable String reason) {
		this.task = task;
		this.kind = kind;
		this.reason = reason;
	}

	static Settlement acknowledge(DeliveryTask task) {
		return new Settlement(task, Kind.ACKNOWLEDGE, null);
	}

	static Settlement release(DeliveryTask task) {
		return new Settlement(task, Kind.RELEASE, null);
	}

	static Settlement deadLetter(DeliveryTask task, String reason) {
		return new Settlement(task, Kind.DEAD_LETTER, reason);
	}

	DeliveryTask task() {
		return this.task;
	}

	Kind kind() {
		return this.kind;
	}

	String reason() {
		return (this.reason != null) ? this.reason : "";
	}

	boolean isRepeated() {
		return this.repeated;
	}

	void repeat() {
		this.repeated = true;
	}

}
