package io.delayqueue.model;

/** A property that must hold; the text describes its violation. */
enum Property {

	P1("an accepted message is lost"),

	P4("a message has no location, or two locations at rest"),

	P5("the message cannot come to rest by itself, or a leftover is never removed"),

	P7("a caller or a consumer gets a wrong answer: superseded, cancelled or duplicate"),

	P9("a finished message is stored again"),

	G1("more messages of a group wait than its quota allows"),

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
