package io.delayqueue;

/**
 * Thrown when an argument of a call is invalid; nothing was written to Redis. A repeated
 * call with the same arguments would fail again.
 */
public final class InvalidMessageException extends DelayQueueException {

	private static final long serialVersionUID = 1L;

	private final String field;

	private final String rule;

	/**
	 * Creates the exception.
	 * @param field the argument's name
	 * @param value the invalid value, escaped and shortened for a log line
	 * @param limit the rule, as the rest of a sentence after "must be", for example "from
	 * 1 to 1000"
	 */
	public InvalidMessageException(String field, String value, String limit) {
		super(field + " is '" + value + "' but must be " + limit, null, null, null);
		this.field = field;
		this.rule = "must be " + limit;
	}

	/**
	 * Creates the exception for a payload or another value that cannot be converted.
	 * @param field the argument's name
	 * @param problem what is wrong and what is expected, as the rest of a sentence that
	 * begins with the argument's name
	 * @param cause the cause
	 */
	public InvalidMessageException(String field, String problem, Throwable cause) {
		super(field + " " + problem, null, null, cause);
		this.field = field;
		this.rule = problem;
	}

	/**
	 * {@return the name of the invalid argument of the call, for example {@code payload}}
	 */
	public String field() {
		return this.field;
	}

	/**
	 * Returns the violated rule, without the invalid value.
	 * @return the rule to print after the argument's name, for example
	 * {@code must be from 1 to 1000}
	 */
	public String rule() {
		return this.rule;
	}

}
