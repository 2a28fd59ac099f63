package io.delayqueue.store;

import java.io.Serializable;

/**
 * Something about the Redis behind the connections that is not as it should be.
 *
 * @param severity how bad it is
 * @param problem what is wrong, without a full stop
 * @param fix what to do about it, without a full stop
 */
public record Finding(Severity severity, String problem, String fix) implements Serializable {

	/** How bad a finding is. */
	public enum Severity {

		/** Delayed messages cannot work. */
		FAULT,

		/** They work, and may be lost. */
		DANGER,

		/** They work, but not as well as they could, or as one might expect. */
		WARNING

	}

	/**
	 * Whether delayed messages cannot work.
	 * @return {@code true} if they cannot
	 */
	public boolean isFault() {
		return this.severity == Severity.FAULT;
	}

	/** What is wrong and what to do, as sentences. */
	@Override
	public String toString() {
		return this.problem + ". " + this.fix + ".";
	}

	static Finding fault(String problem, String fix) {
		return new Finding(Severity.FAULT, problem, fix);
	}

	static Finding danger(String problem, String fix) {
		return new Finding(Severity.DANGER, problem, fix);
	}

	static Finding warning(String problem, String fix) {
		return new Finding(Severity.WARNING, problem, fix);
	}

}
