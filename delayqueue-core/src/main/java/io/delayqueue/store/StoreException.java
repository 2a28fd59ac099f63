package io.delayqueue.store;

import org.jspecify.annotations.Nullable;

/**
 * A call to Redis failed. The callers of this package turn it into an exception that
 * their own callers can act on.
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
	 * Whether the call did not reach a working Redis, so that any other call would fail
	 * as well.
	 * @return {@code false} if Redis answered with an error about this call, or if the
	 * call was not sent, for example because all pooled connections were in use
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
	 * Whether the keys of the partition have the layout of another version of the
	 * library, so that nothing was written and this process must skip the partition.
	 * @return {@code false} if anything else has failed
	 */
	public boolean isLayoutForeign() {
		return Layouts.CODE.equals(FailureKind.code(this));
	}

	/**
	 * A call that was not sent, independent of whether Redis is available.
	 * @param why the reason
	 * @return a failure of a call that certainly did not run
	 */
	public static StoreException notSent(String why) {
		return new StoreException(FailureKind.NOT_EXECUTED, why, null, false, false);
	}

	/** A call that was not sent, because the connections are not started. */
	static StoreException closed(Throwable cause) {
		return new StoreException(FailureKind.CLOSED,
				"the connections to Redis are closed, because the application has stopped or not started yet", cause,
				false, false);
	}

	/**
	 * The failure for a call that was to follow the failed one.
	 * @return a failure of a call that certainly did not run
	 */
	public StoreException asNotExecuted() {
		return this.mayHaveRun
				? new StoreException((this.kind == FailureKind.UNKNOWN) ? FailureKind.NOT_EXECUTED : this.kind,
						String.valueOf(getMessage()), this, this.wasTried, false)
				: this;
	}

	/** The failure for a call that an earlier try may have run. */
	StoreException ofARepeat() {
		return new StoreException(this.kind, String.valueOf(getMessage()), this, this.wasTried, true);
	}

	/**
	 * Whether the call may have run, in this try or in an earlier try of the driver.
	 * @return {@code false} if it certainly did not run
	 */
	public boolean mayHaveRun() {
		return this.mayHaveRun;
	}

	/** Whether every repeat of the call would fail too. */
	boolean isFinal() {
		return this.kind == FailureKind.REFUSED || this.kind == FailureKind.CLOSED;
	}

	/**
	 * The kind of failure.
	 * @return the kind
	 */
	public FailureKind kind() {
		return this.kind;
	}

}
