package io.delayqueue.soak;

import java.nio.file.Path;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks that the scripts still contain the lines that each mutation changes: the soaks
 * that prove detection are slow.
 */
class MutationTests {

	@TempDir
	Path directory;

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = { "NONE", "NOTHING_IS_ABANDONED" })
	void mutationFindsTheLinesThatItChanges(Mutation mutation) {
		assertThat(mutation.scripts(this.directory)).isNotEmpty();
	}

}
