package io.delayqueue.redis;

import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;

/**
 * A call to Redis failed. The packages of this library translate this exception into
 * exceptions on which their own callers can act.
 */
public final class StoreException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final FailureKind kind;

	private final boolean wasTried;

	private final boolean mayHaveRun;

	/**
	 * Creates the failure of a call that was sent or that the driver tried to send.
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
	 * Translates an exception of the Redis driver. If the driver itself repeats calls, an
	 * error reply to the last try does not exclude that Redis has run an earlier try.
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
	 * Creates the failure of a call that was not sent, although Redis may be available.
	 * @param why the reason
	 * @return a failure that reports that Redis certainly did not run the call
	 */
	public static StoreException notSent(String why) {
		return new StoreException(FailureKind.NOT_EXECUTED, why, null, false, false);
	}

	/**
	 * Creates the failure of a call that was not sent because the connections are not
	 * started.
	 * @param cause the failure of the connections
	 * @return a failure that reports that Redis certainly did not run the call
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
	 * Returns this failure for a further call that was not sent, because it needed the
	 * result of the call that has failed.
	 * @return a failure that reports that Redis certainly did not run the call
	 */
	public StoreException asNotExecuted() {
		return this.mayHaveRun
				? new StoreException((this.kind == FailureKind.UNKNOWN) ? FailureKind.NOT_EXECUTED : this.kind,
						String.valueOf(getMessage()), this, this.wasTried, false)
				: this;
	}

	/**
	 * Returns this failure for a repeated call, of which Redis may have run an earlier
	 * try.
	 * @return a failure that reports that Redis may have run the call
	 */
	public StoreException ofARepeat() {
		return this.mayHaveRun ? this
				: new StoreException(this.kind, String.valueOf(getMessage()), this, this.wasTried, true);
	}

	/**
	 * Returns the effect that the failed call may have had on the stored data.
	 * @return the kind
	 */
	public FailureKind kind() {
		return this.kind;
	}

	/**
	 * {@return the code at the start of Redis's error reply, {@code null} if there was no
	 * error reply}
	 */
	public @Nullable String code() {
		return FailureKind.code(this);
	}

	/**
	 * Whether Redis may have run the call, in the last try or in an earlier try.
	 * @return {@code false} if Redis certainly did not run the call
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

	/**
	 * Whether the call would change dead letters that move to a newer epoch (partition
	 * count), so that it wrote nothing, and the caller must move them first.
	 * @return {@code false} if the call failed for another reason
	 */
	public boolean isCarrying() {
		return "CARRYING".equals(code());
	}

	/** Whether every repeat of the call would fail as well. */
	boolean isFinal() {
		return this.kind == FailureKind.REFUSED || this.kind == FailureKind.CLOSED;
	}

}
