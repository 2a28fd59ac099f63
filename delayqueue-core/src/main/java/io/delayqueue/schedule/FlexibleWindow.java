package io.delayqueue.schedule;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Computes how much later than requested a message with a flexible due time is due. This
 * offset depends only on the key of the message and the window, and is the same in all
 * processes and versions. The offsets of many keys spread evenly over the window.
 */
final class FlexibleWindow {

	private static final long FNV_BASIS = 0xcbf29ce484222325L;

	private static final long FNV_PRIME = 0x100000001b3L;

	/** The number of bits of a hash that a {@code double} represents exactly. */
	private static final int BITS = 53;

	private FlexibleWindow() {
	}

	/**
	 * Returns how much later than requested a message with a flexible due time is due.
	 * @param key the group key of the message, or its id if it has no group
	 * @param window the longest possible offset
	 * @return a duration from 0 to {@code window}, both included, in whole milliseconds
	 */
	static Duration offset(String key, Duration window) {
		double share = (hash(key) >>> (Long.SIZE - BITS)) * 0x1.0p-53;
		return Duration.ofMillis((long) (share * (window.toMillis() + 1)));
	}

	/**
	 * Hashes a key with FNV-1a and then with the finalizer of MurmurHash3, because the
	 * upper bits of FNV-1a are not evenly distributed. The hash differs from the hash of
	 * {@link io.delayqueue.store.Partitioner}, so that the keys of one partition get all
	 * offsets.
	 */
	private static long hash(String key) {
		long hash = FNV_BASIS;
		for (byte octet : key.getBytes(StandardCharsets.UTF_8)) {
			hash = (hash ^ (octet & 0xff)) * FNV_PRIME;
		}
		hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
		hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
		return hash ^ (hash >>> 33);
	}

}
