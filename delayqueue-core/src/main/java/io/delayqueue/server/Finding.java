package io.delayqueue.server;

import java.io.Serializable;

/**
 * A problem with the configuration or the state of the Redis server.
 *
 * @param severity the severity of the problem
 * @param problem what is wrong, without a full stop
 * @param fix how to solve the problem, without a full stop
 */
public record Finding(Severity severity, String problem, String fix) implements Serializable {

	/** The severity of a finding. */
	public enum Severity {

		/** Delayed messages cannot work. */
		FAULT,

		/** Delayed messages work, but may be lost. */
		DANGER,

		/** Delayed messages work, with a limitation. */
		WARNING

	}

	/**
	 * Whether delayed messages cannot work with the server.
	 * @return {@code true} for a fault
	 */
	public boolean isFault() {
		return this.severity == Severity.FAULT;
	}

	/** Returns the problem and its solution, as two sentences. */
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
