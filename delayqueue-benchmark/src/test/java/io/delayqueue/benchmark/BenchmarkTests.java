package io.delayqueue.benchmark;

import java.util.EnumSet;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BenchmarkTests {

	@Test
	void eachContenderBeginsARound() {
		Set<Contender> three = EnumSet.of(Contender.STARTER, Contender.REDISSON, Contender.RAW);
		assertThat(Benchmark.order(three, -1)).containsExactly(Contender.RAW, Contender.STARTER, Contender.REDISSON);
		assertThat(Benchmark.order(three, 0)).containsExactly(Contender.STARTER, Contender.REDISSON, Contender.RAW);
		assertThat(Benchmark.order(three, 1)).containsExactly(Contender.REDISSON, Contender.RAW, Contender.STARTER);
		assertThat(Benchmark.order(three, 3)).isEqualTo(Benchmark.order(three, 0));
	}

}
