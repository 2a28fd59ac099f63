package io.delayqueue.actuate;

import java.util.Locale;

/** What can be shown of a queue besides the queue itself; the names end its paths. */
enum QueueView {

	/** Messages of a state. */
	MESSAGES,

	/** One message. */
	MESSAGE,

	/** Dead letters. */
	DEAD_LETTERS;

	static QueueView named(String name) {
		for (QueueView view : values()) {
			if (view.name().toLowerCase(Locale.ROOT).replace('_', '-').equals(name)) {
				return view;
			}
		}
		throw new UnknownException(UnknownException.What.VIEW);
	}

}
