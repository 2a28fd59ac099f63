package io.delayqueue.store;

import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The checked rights are those that the scripts and the plain commands need.
 */
class RightsTests {

	private static final List<String> BESIDE_THE_SCRIPTS = List.of("evalsha", "eval", "hget", "hset", "hsetnx");

	@Test
	void producersNeedTheCommandsOfTheirScripts() {
		assertThat(names(Rights.OF_PRODUCERS)).isEqualTo(commands(
				List.of(StoreScript.SCHEDULE, StoreScript.SCHEDULE_NEW, StoreScript.REGISTER, StoreScript.FIND_EPOCHS,
						StoreScript.CANCEL, StoreScript.RESCHEDULE, StoreScript.FIND, StoreScript.GROUP_PAGE,
						StoreScript.PEEK_PARTITIONS, StoreScript.PURGE, StoreScript.RIGHTS, StoreScript.SNAPSHOT),
				Set.of()));
	}

	@Test
	void consumersNeedTheCommandsOfAllScripts() {
		// The application works without the right to publish hints
		assertThat(names(Rights.OF_CONSUMERS))
			.isEqualTo(commands(EnumSet.complementOf(EnumSet.of(StoreScript.SEND_HINT)), Set.of("hgetall")));
	}

	private static Set<String> names(List<String> rights) {
		return new TreeSet<>(rights.stream().map((right) -> right.replaceAll("\\|.*", "")).toList());
	}

	private static Set<String> commands(Collection<StoreScript> scripts, Set<String> more) {
		return new TreeSet<>(Stream
			.of(scripts.stream().flatMap((script) -> ScriptText.of(script).commands().stream()),
					BESIDE_THE_SCRIPTS.stream(), more.stream())
			.flatMap((commands) -> commands)
			.toList());
	}

}
