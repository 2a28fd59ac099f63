package io.delayqueue.queue;

import java.nio.ByteBuffer;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.PrimitiveIterator;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two generators that start from the same state, as in clones of one memory image.
 */
class RandomBitsTests {

	@Test
	void clonesDifferByTime() {
		RandomBits one = clonedGenerator();
		RandomBits other = clonedGenerator();
		for (int i = 0; i < 1000; i++) {
			assertThat(one.draw()).isNotEqualTo(other.draw());
		}
	}

	@Test
	void clonesThatDifferedOnceByTimeDifferForEver() {
		RandomBits one = new RandomBits(seeded(1), times(1, 2, 3, 4));
		RandomBits other = new RandomBits(seeded(1), times(1, 7, 3, 4));
		assertThat(one.draw()).isEqualTo(other.draw());
		for (int i = 0; i < 3; i++) {
			assertThat(one.draw()).isNotEqualTo(other.draw());
		}
	}

	@Test
	void clonesThatCallAtSameNanosecondDifferByPlatformRandomness() {
		RandomBits one = new RandomBits(seeded(1), times(1, 2, 3, 4));
		RandomBits other = new RandomBits(seeded(2), times(1, 2, 3, 4));
		for (int i = 0; i < 4; i++) {
			assertThat(one.draw()).isNotEqualTo(other.draw());
		}
	}

	/** Every returned generator starts from the same state. */
	static RandomBits clonedGenerator() {
		return new RandomBits(seeded(1), System::nanoTime);
	}

	private static LongSupplier times(long... nanos) {
		PrimitiveIterator.OfLong times = LongStream.of(nanos).iterator();
		return times::nextLong;
	}

	private static SecureRandom seeded(long seed) {
		try {
			SecureRandom random = SecureRandom.getInstance("SHA1PRNG");
			random.setSeed(ByteBuffer.allocate(Long.BYTES).putLong(seed).array());
			return random;
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
