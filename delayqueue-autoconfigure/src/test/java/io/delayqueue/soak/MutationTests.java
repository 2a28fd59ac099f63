package io.delayqueue.soak;

import java.nio.file.Path;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That the scripts still have what each mutation breaks: the soaks that show it are slow.
 */
class MutationTests {

	@TempDir
	Path directory;

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = { "NONE", "NOTHING_IS_ABANDONED" })
	void aMutationFindsWhatItBreaks(Mutation mutation) {
		assertThat(mutation.scripts(this.directory)).isNotEmpty();
	}

}
