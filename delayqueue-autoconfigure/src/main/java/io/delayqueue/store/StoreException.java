package io.delayqueue.store;

/**
 * A call to Redis failed. The callers of this room turn it into what their own callers
 * can act on.
 */
public final class StoreException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final FailureKind kind;

	StoreException(FailureKind kind, String message, Throwable cause) {
		super(message, cause);
		this.kind = kind;
	}

	/**
	 * What the failure means.
	 * @return the kind
	 */
	public FailureKind kind() {
		return this.kind;
	}

}
