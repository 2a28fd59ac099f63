package io.delayqueue.benchmark;

import java.time.Instant;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OriginTests {

	@Test
	void commitAndMachineAreNamed() throws InterruptedException {
		Origin origin = Origin.of(new Scale(0.25));
		assertThat(origin.commit()).matches("[0-9a-f]{40}( with changes)?|unknown");
		assertThat(origin.machine()).contains(" cores, " + System.getProperty("os.name"),
				"Java " + System.getProperty("java.version"));
		assertThat(origin.scale()).isEqualTo(0.25);
		assertThat(origin.began()).isBeforeOrEqualTo(Instant.now());
	}

	@Test
	void thePropertyNamesTheCommitOutsideAClone() throws InterruptedException {
		System.setProperty(Origin.COMMIT, "0123abc");
		try {
			assertThat(Origin.of(new Scale(1)).commit()).isEqualTo("0123abc");
		}
		finally {
			System.clearProperty(Origin.COMMIT);
		}
	}

}
