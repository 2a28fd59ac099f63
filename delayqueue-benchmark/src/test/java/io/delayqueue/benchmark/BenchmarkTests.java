package io.delayqueue.benchmark;

import java.util.EnumSet;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BenchmarkTests {

	@Test
	void eachContenderBeginsARound() {
		Set<Contender> three = EnumSet.of(Contender.STARTER, Contender.REDISSON_8, Contender.RAW);
		assertThat(Benchmark.order(three, -1)).containsExactly(Contender.RAW, Contender.STARTER, Contender.REDISSON_8);
		assertThat(Benchmark.order(three, 0)).containsExactly(Contender.STARTER, Contender.REDISSON_8, Contender.RAW);
		assertThat(Benchmark.order(three, 1)).containsExactly(Contender.REDISSON_8, Contender.RAW, Contender.STARTER);
		assertThat(Benchmark.order(three, 3)).isEqualTo(Benchmark.order(three, 0));
	}

	@Test
	void theNameOfAColumnMeansAllItsContenders() {
		assertThat(Contender.named("redisson")).containsExactly(Contender.REDISSON_8, Contender.REDISSON_32,
				Contender.REDISSON_100);
		assertThat(Contender.named("redisson-32")).containsExactly(Contender.REDISSON_32);
		assertThat(Contender.named("raw")).containsExactly(Contender.RAW);
		assertThat(Contender.named("RAW-pipelined")).containsExactly(Contender.RAW_PIPELINED);
		assertThat(Contender.named("other")).isEmpty();
	}

}
