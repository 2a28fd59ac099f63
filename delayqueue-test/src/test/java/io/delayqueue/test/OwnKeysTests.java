package io.delayqueue.test;

import java.util.Collection;
import java.util.Set;

import org.junit.jupiter.api.Test;

import org.springframework.data.redis.core.RedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.assertArg;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoMoreInteractions;

class OwnKeysTests {

	@SuppressWarnings("unchecked")
	private final RedisTemplate<String, byte[]> redis = mock(RedisTemplate.class);

	private final OwnKeys keys = new OwnKeys(this.redis, "own");

	@Test
	void allKeysAreRemovedWithOneCommand() {
		given(this.redis.keys("own:*")).willReturn(Set.of("own:a", "own:b", "own:c"));

		this.keys.remove();

		verify(this.redis).keys("own:*");
		verify(this.redis).unlink(assertArg((Collection<String> removed) -> assertThat(removed)
			.containsExactlyInAnyOrder("own:a", "own:b", "own:c")));
		verifyNoMoreInteractions(this.redis);
	}

	@Test
	void withoutKeysNothingIsRemoved() {
		given(this.redis.keys("own:*")).willReturn(Set.of());

		this.keys.remove();

		verify(this.redis).keys("own:*");
		verifyNoMoreInteractions(this.redis);
	}

}
