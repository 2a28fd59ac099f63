package io.delayqueue.redis;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;

/**
 * A call to Redis failed. The packages of this library turn this exception into one that
 * their own callers can act on.
 */
public final class StoreException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final FailureKind kind;

	private final boolean wasTried;

	private final boolean mayHaveRun;

	/**
	 * Creates the failure of a call that was tried.
	 * @param kind the kind of failure
	 * @param message what is wrong
	 * @param cause the cause, if there is one
	 */
	public StoreException(FailureKind kind, String message, @Nullable Throwable cause) {
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
	 * Translates a failure of the driver. If the driver itself repeats calls, an error
	 * reply to the last try leaves open whether an earlier try has run.
	 * @param failure the failure
	 * @param driverRepeats whether the driver itself repeats calls
	 * @return the failure with its kind, and with the error text of Redis or of the
	 * driver
	 */
	public static StoreException of(DataAccessException failure, boolean driverRepeats) {
		FailureKind kind = FailureKind.of(failure);
		boolean isUnknown = kind == FailureKind.NOT_EXECUTED && driverRepeats && FailureKind.code(failure) != null;
		return new StoreException(isUnknown ? FailureKind.UNKNOWN : kind, FailureKind.errorText(failure), failure);
	}

	/**
	 * Creates the failure of a call that was not sent for a reason other than an
	 * unavailable Redis.
	 * @param why the reason
	 * @return a failure of a call that certainly did not run
	 */
	public static StoreException notSent(String why) {
		return new StoreException(FailureKind.NOT_EXECUTED, why, null, false, false);
	}

	/**
	 * Creates the failure of a call that was not sent because the connections are not
	 * started.
	 * @param cause the failure of the connections
	 * @return a failure of a call that certainly did not run
	 */
	public static StoreException closed(Throwable cause) {
		return new StoreException(FailureKind.CLOSED,
				"the connections to Redis are closed, because the application has stopped or not started yet", cause,
				false, false);
	}

	/**
	 * Returns the same failure with another message.
	 * @param message what is wrong
	 * @return the failure
	 */
	public StoreException describedAs(String message) {
		return new StoreException(this.kind, message, getCause(), this.wasTried, this.mayHaveRun);
	}

	/**
	 * Returns the failure of a call that was not sent because this one, which it needed,
	 * has failed.
	 * @return a failure of a call that certainly did not run
	 */
	public StoreException asNotExecuted() {
		return this.mayHaveRun
				? new StoreException((this.kind == FailureKind.UNKNOWN) ? FailureKind.NOT_EXECUTED : this.kind,
						String.valueOf(getMessage()), this, this.wasTried, false)
				: this;
	}

	/**
	 * Returns the same failure for a repeated call, of which an earlier try may have run.
	 * @return a failure of a call that may have run
	 */
	public StoreException ofARepeat() {
		return this.mayHaveRun ? this
				: new StoreException(this.kind, String.valueOf(getMessage()), this, this.wasTried, true);
	}

	/**
	 * Returns what the failure means for the stored data.
	 * @return the kind
	 */
	public FailureKind kind() {
		return this.kind;
	}

	/**
	 * Returns the code at the start of Redis's error reply.
	 * @return the code, {@code null} if there was no error reply
	 */
	public @Nullable String code() {
		return FailureKind.code(this);
	}

	/**
	 * Whether the call may have run, in this try or in an earlier one.
	 * @return {@code false} if it certainly did not run
	 */
	public boolean mayHaveRun() {
		return this.mayHaveRun;
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
		String code = code();
		return (code != null) ? code.equals("LOADING") || code.equals("BUSY") || code.equals("MASTERDOWN")
				: this.kind != FailureKind.REFUSED;
	}

	/**
	 * Whether the keys of the partition have the layout of another version of the
	 * library, so that the call wrote nothing and this process must skip the partition.
	 * @return {@code false} if the call failed for another reason
	 */
	public boolean isLayoutForeign() {
		return "LAYOUT".equals(code());
	}

	/** Whether every repeat of the call would fail too. */
	boolean isFinal() {
		return this.kind == FailureKind.REFUSED || this.kind == FailureKind.CLOSED;
	}

}
