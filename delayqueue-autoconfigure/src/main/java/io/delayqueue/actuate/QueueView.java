package io.delayqueue.actuate;

import java.util.Locale;

/** The views of a queue; their names are the last segments of the paths. */
enum QueueView {

	/** Messages of one state. */
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
