package io.delayqueue.test.redis;

import java.net.URI;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class RedisAddressTests {

	@Test
	void hostAloneMeansDefaultPortAndDatabase() {
		assertThat(RedisAddress.of(URI.create("redis://localhost")))
			.isEqualTo(new RedisAddress("localhost", 6379, null, null, 0));
	}

	@Test
	void handshakeHasCredentialsAndDatabase() {
		RedisAddress address = RedisAddress.of(URI.create("redis://app:s%3Acret@localhost:7000/3"));
		assertThat(address.handshake()).containsExactly(List.of("AUTH", "app", "s:cret"), List.of("SELECT", "3"));
	}

	@Test
	void passwordAloneMeansDefaultUser() {
		assertThat(RedisAddress.of(URI.create("redis://:secret@localhost")).handshake())
			.containsExactly(List.of("AUTH", "secret"));
	}

	@Test
	void otherSchemesAreRejected() {
		assertThatIllegalArgumentException().isThrownBy(() -> RedisAddress.of(URI.create("rediss://localhost")))
			.withMessageContaining("rediss://localhost");
	}

	@Test
	void errorMessageDoesNotRevealCredentials() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> RedisAddress.of(URI.create("rediss://a:secret@localhost")))
			.withMessageNotContaining("secret");
	}

}
