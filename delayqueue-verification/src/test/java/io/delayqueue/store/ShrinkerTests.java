package io.delayqueue.store;

import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ShrinkerTests {

	@Test
	void onlyElementsNeededToFailAreLeft() {
		List<Integer> all = IntStream.range(0, 100).boxed().toList();
		assertThat(Shrinker.shrink(all, (some) -> some.containsAll(List.of(7, 8, 93)))).containsExactly(7, 8, 93);
		assertThat(Shrinker.shrink(all, (some) -> some.size() > 1)).hasSize(2);
		assertThat(Shrinker.shrink(all, (some) -> true)).isEmpty();
	}

}
