package io.delayqueue.model;

/** The two consumers of the group. */
enum ConsumerName {

	A(Field.CONSUMER_A, 2), B(Field.CONSUMER_B, 3);

	private final Field field;

	private final int holder;

	ConsumerName(Field field, int holder) {
		this.field = field;
		this.holder = holder;
	}

	Field field() {
		return this.field;
	}

	/** The number of this consumer in {@link ReadyStream}. */
	int holder() {
		return this.holder;
	}

	ConsumerName other() {
		return (this == A) ? B : A;
	}

}
