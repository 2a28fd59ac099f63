package io.delayqueue;

/**
 * An argument breaks a rule; nothing was written. Repeating the call unchanged is of no
 * use.
 */
public final class InvalidMessageException extends DelayQueueException {

	private static final long serialVersionUID = 1L;

	private final String field;

	private final String rule;

	/**
	 * Creates the exception.
	 * @param field the argument's name
	 * @param value the offending value, fit for a log line
	 * @param limit the rule
	 */
	public InvalidMessageException(String field, String value, String limit) {
		super(field + " is '" + value + "' but must be " + limit, null, null, null);
		this.field = field;
		this.rule = "must be " + limit;
	}

	/**
	 * Creates the exception for a payload or another value that cannot be written.
	 * @param field the argument's name
	 * @param problem what is wrong and what would be right
	 * @param cause why
	 */
	public InvalidMessageException(String field, String problem, Throwable cause) {
		super(field + " " + problem, null, null, cause);
		this.field = field;
		this.rule = problem;
	}

	/**
	 * The argument that breaks its rule.
	 * @return the name, for example {@code payload}
	 */
	public String field() {
		return this.field;
	}

	/**
	 * The rule that it breaks, without its value.
	 * @return how a sentence goes on that begins with the argument's name
	 */
	public String rule() {
		return this.rule;
	}

}
