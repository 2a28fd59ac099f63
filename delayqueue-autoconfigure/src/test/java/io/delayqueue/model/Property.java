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

	P11("a repeated cancel or discard removes a newer message, or a repeated redrive moves it again"),

	P12("a message is taken back from a consumer that lives, and that counts as a crash"),

	G1("more messages of a group wait than its quota allows"),

	G2("more messages of a group are ready or pending than its limit allows"),

	G3("a place in a group is lost, or is held by what must not have it"),

	G4("a message waits aside while its group has room"),

	G5("a group is called full that has room"),

	G6("a message is dropped that a consumer has or is about to get"),

	G7("in a strict group a message becomes ready before an earlier one that is due"),

	G8("a consumer that never stood still loses its message to another delivery");

	private final String violation;

	Property(String violation) {
		this.violation = violation;
	}

	String violation() {
		return this + " " + this.violation;
	}

}
