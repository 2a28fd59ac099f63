package io.delayqueue.test;

import java.io.IOException;
import java.util.Collections;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The dependencies that a test of an application gets. */
class DependenciesTests {

	@Test
	void orgJsonIsOnTheClassPathOnce() throws IOException {
		assertThat(Collections.list(getClass().getClassLoader().getResources("org/json/JSONObject.class"))).hasSize(1);
	}

}
