package io.delayqueue.schedule;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Computes the offset of a message's due time within its flexible window. The offset
 * depends on the key alone, is the same in all processes and versions, and is spread
 * evenly over many keys.
 */
final class FlexibleWindow {

	private static final long FNV_BASIS = 0xcbf29ce484222325L;

	private static final long FNV_PRIME = 0x100000001b3L;

	/** The number of bits of a hash that a double represents exactly. */
	private static final int BITS = 53;

	private FlexibleWindow() {
	}

	/**
	 * Returns the offset of a key.
	 * @param key the group of the message, or without a group its id
	 * @param window the length of the window
	 * @return a duration from 0 to the window, both included, in whole milliseconds
	 */
	static Duration offset(String key, Duration window) {
		double share = (hash(key) >>> (Long.SIZE - BITS)) * 0x1.0p-53;
		return Duration.ofMillis((long) (share * (window.toMillis() + 1)));
	}

	/**
	 * Hashes with FNV-1a, whose upper bits alone are not even, and then the finalizer of
	 * MurmurHash3. This hash differs from that of
	 * {@link io.delayqueue.store.Partitioner}, so that each partition has all offsets.
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
