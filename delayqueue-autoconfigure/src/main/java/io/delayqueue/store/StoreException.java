package io.delayqueue.store;

import org.jspecify.annotations.Nullable;

/**
 * A call to Redis failed. The callers of this room turn it into what their own callers
 * can act on.
 */
public final class StoreException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final FailureKind kind;

	private final boolean wasTried;

	private final boolean mayHaveRun;

	StoreException(FailureKind kind, String message, @Nullable Throwable cause) {
		this(kind, message, cause, true, kind == FailureKind.UNKNOWN);
	}

	private StoreException(FailureKind kind, String message, @Nullable Throwable cause, boolean wasTried,
			boolean mayHaveRun) {
		super(message, cause);
		this.kind = kind;
		this.wasTried = wasTried;
		this.mayHaveRun = mayHaveRun;
	}

	/**
	 * Whether the call did not reach a Redis that can work at all, so that any other call
	 * would fail as well.
	 * @return {@code false} if Redis itself answered, with an error about this call, or
	 * if it was not asked: all connections of the pool were taken, or the call was not
	 * made
	 */
	public boolean isRedisLost() {
		if (!this.wasTried || FailureKind.isPoolExhausted(this)) {
			return false;
		}
		String code = FailureKind.code(this);
		return (code != null) ? code.equals("LOADING") || code.equals("BUSY") || code.equals("MASTERDOWN")
				: this.kind != FailureKind.REFUSED;
	}

	/**
	 * Whether the keys of the partition have another layout than this version of the
	 * library knows, so that nothing was carried out and the partition is to be left
	 * alone.
	 * @return {@code false} if anything else has failed
	 */
	public boolean isLayoutForeign() {
		return Layouts.CODE.equals(FailureKind.code(this));
	}

	/**
	 * A call was not made, and nobody knows whether Redis is there.
	 * @param why why not
	 * @return a failure that certainly did not carry it out
	 */
	public static StoreException notSent(String why) {
		return new StoreException(FailureKind.NOT_EXECUTED, why, null, false, false);
	}

	/** A call was not made, because the connections are not started. */
	static StoreException closed(Throwable cause) {
		return new StoreException(FailureKind.CLOSED,
				"the connections to Redis are closed, because the application has stopped or not started yet", cause,
				false, false);
	}

	/**
	 * What the failure means for a call that was to follow the one that failed.
	 * @return a failure that certainly did not carry it out
	 */
	public StoreException asNotExecuted() {
		return this.mayHaveRun
				? new StoreException((this.kind == FailureKind.UNKNOWN) ? FailureKind.NOT_EXECUTED : this.kind,
						String.valueOf(getMessage()), this, this.wasTried, false)
				: this;
	}

	/** What the failure means for a call that may have been carried out before it. */
	StoreException ofARepeat() {
		return new StoreException(this.kind, String.valueOf(getMessage()), this, this.wasTried, true);
	}

	/**
	 * Whether the call may have been carried out, by this try or by an earlier one that
	 * the driver has made by itself.
	 * @return {@code false} if it was certainly not carried out
	 */
	public boolean mayHaveRun() {
		return this.mayHaveRun;
	}

	/** Whether the same call would fail again however soon it was repeated. */
	boolean isFinal() {
		return this.kind == FailureKind.REFUSED || this.kind == FailureKind.CLOSED;
	}

	/**
	 * What the failure means.
	 * @return the kind
	 */
	public FailureKind kind() {
		return this.kind;
	}

}
