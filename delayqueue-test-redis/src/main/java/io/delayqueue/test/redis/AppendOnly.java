package io.delayqueue.test.redis;

import java.util.List;

/**
 * The persistence of a Redis server, which determines the data that is left after
 * {@code kill -9}.
 */
public enum AppendOnly {

	/** The server writes nothing to disk: a restart begins empty. */
	OFF("no", "no"),

	/**
	 * The append-only file is flushed to disk once a second. A server that is killed
	 * loses no write that it has answered, because the operating system has received the
	 * write. A crash of the machine may lose the writes of the last second.
	 */
	EVERY_SECOND("yes", "everysec"),

	/** The server flushes the append-only file to disk before it replies to a write. */
	ALWAYS("yes", "always");

	private final String enabled;

	private final String flush;

	AppendOnly(String enabled, String flush) {
		this.enabled = enabled;
		this.flush = flush;
	}

	List<Setting> settings() {
		return List.of(new Setting("appendonly", List.of(this.enabled)),
				new Setting("appendfsync", List.of(this.flush)));
	}

}
