package io.delayqueue.queue;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Random numbers for names that no two processes may share, also not those that go on
 * from one image of memory: a checkpoint (CRaC), or a snapshot of a virtual machine. An
 * ordinary generator would give the same numbers in all of them.
 *
 * <p>
 * Each number comes of two sources, of which one is enough:
 * <ol>
 * <li>the platform's {@link SecureRandom}, which is seeded anew by a JDK, or a kernel,
 * that knows of having been restored;</li>
 * <li>the time of this call and of all calls before, in ns: clones of one image differ
 * from the first call on that they do not make at the same nanosecond.</li>
 * </ol>
 * Costs about 0.2 us. Safe for use by several threads.
 */
public final class RandomBits {

	private static final RandomBits OF_THIS_PROCESS = new RandomBits(new SecureRandom(), System::nanoTime);

	private final SecureRandom secure;

	private final LongSupplier nanoTime;

	/** Comes of the times of all calls. */
	private final AtomicLong past = new AtomicLong();

	RandomBits(SecureRandom secure, LongSupplier nanoTime) {
		this.secure = secure;
		this.nanoTime = nanoTime;
	}

	/**
	 * The next number.
	 * @return 64 random bits
	 */
	public static long next() {
		return OF_THIS_PROCESS.draw();
	}

	long draw() {
		long now = this.nanoTime.getAsLong();
		return this.past.updateAndGet((before) -> mix(before + now)) ^ this.secure.nextLong();
	}

	/**
	 * Spreads each bit over all others: the finalizer of SplitMix64, which loses none.
	 */
	private static long mix(long bits) {
		long mixed = (bits ^ (bits >>> 30)) * 0xbf58476d1ce4e5b9L;
		mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
		return mixed ^ (mixed >>> 31);
	}

}
