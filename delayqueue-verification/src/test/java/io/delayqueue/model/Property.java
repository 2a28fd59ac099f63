package io.delayqueue.model;

/** A property that must hold; the text describes its violation. */
enum Property {

	P1("an accepted message is lost"),

	P2("a handler starts before the due time"),

	P3("the settlement of an old delivery touches a newer message"),

	P4("a message has no location, or two locations at rest"),

	P5("the message cannot come to rest by itself, or a leftover is never removed"),

	P6("a message is taken, or its handler starts, after it was reported as cancelled"),

	P6B("a repeated call brings back what was cancelled or replaced"),

	P7("a caller or a consumer gets a wrong answer: superseded, cancelled or duplicate"),

	P8("a message inherits the counters of a former one, or a repeat counts a failure again"),

	P9("a finished message is stored again"),

	P10("an accepted message waits past the requested due time, or lacks the expiry"),

	P11("a repeated cancel or discard removes a newer message, or a repeated redrive moves it again"),

	P12("a message of a living consumer is reclaimed and counted as a crash"),

	G1("more messages of a group wait than its quota allows"),

	G2("more messages of a group are ready or pending than its limit allows"),

	G3("a slot of a group is lost, or held by an id that must not hold it"),

	G4("a message is parked while its group has a free slot"),

	G5("a group with a free slot is reported as full"),

	G6("a message is dropped although a consumer has it or is about to get it"),

	G7("in a strict group a message becomes ready before an earlier one that is due"),

	G8("a consumer that never stood still loses its message to another delivery"),

	H1("a message is handed over while its queue or group is held"),

	H2("a message is parked although nothing is held"),

	E1("an id is stored twice, and none is a dead letter that is being carried"),

	E2("messages of one group are delivered from two epochs"),

	E3("a message is handled twice without a cause"),

	E4("an epoch has ended that holds or remembers something");

	private final String violation;

	Property(String violation) {
		this.violation = violation;
	}

	String violation() {
		return this + " " + this.violation;
	}

}
