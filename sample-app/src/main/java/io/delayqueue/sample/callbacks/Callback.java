package io.delayqueue.sample.callbacks;

import java.net.URI;

/**
 * The payload of a delayed message: a partner must be notified.
 *
 * @param id the callback's id
 * @param url the partner's address
 */
record Callback(String id, URI url) {

	private static final int MAX_GROUP = 190;

	/** Returns the group key that all callbacks to the same address have. */
	String group() {
		String address = this.url.toString();
		return (address.length() <= MAX_GROUP) ? address
				: address.substring(0, MAX_GROUP) + '#' + Integer.toHexString(address.hashCode());
	}

}
