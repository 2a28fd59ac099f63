package io.delayqueue.model;

/** What must hold. The words say what is wrong when it does not. */
enum Property {

	P1("an accepted message is lost"),

	P2("a handler starts before the due time"),

	P3("the settlement of an old delivery touches a newer message"),

	P4("a message is in no place, or in two places at rest"),

	P5("the message cannot come to rest by itself, or a left-over stays for ever"),

	P6("a message is taken, or its handler starts, after somebody was told that it is cancelled"),

	P6B("a repeated call brings back what was cancelled or replaced"),

	P7("a caller or a consumer is told falsely: superseded, cancelled or duplicate"),

	P8("a message inherits the counters of a former one, or a repeat counts a failure again"),

	P9("a finished message is stored again"),

	P10("an accepted message waits past the due time that was asked for, or has not the expiry"),

	P11("a repeated cancel removes a newer message");

	private final String violation;

	Property(String violation) {
		this.violation = violation;
	}

	String violation() {
		return this + " " + this.violation;
	}

}
