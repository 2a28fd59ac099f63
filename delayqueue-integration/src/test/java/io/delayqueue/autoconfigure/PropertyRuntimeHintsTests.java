package io.delayqueue.autoconfigure;

import java.util.Arrays;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.context.properties.bind.BindableRuntimeHintsRegistrar;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * All records of properties can be bound in a native image.
 */
class PropertyRuntimeHintsTests {

	@Test
	void everyPropertiesRecordIsRegistered() {
		RuntimeHints hints = new RuntimeHints();
		BindableRuntimeHintsRegistrar.forTypes(DelayQueueProperties.class).registerHints(hints);
		assertThat(Stream.of(DelayQueueProperties.class, GroupProperties.class, ExpiryProperties.class)
			.flatMap((type) -> Stream.concat(Stream.of(type), Arrays.stream(type.getDeclaredClasses())))
			.filter(Class::isRecord))
			.hasSizeGreaterThan(10)
			.allSatisfy((type) -> assertThat(
					RuntimeHintsPredicates.reflection().onConstructorInvocation(type.getDeclaredConstructors()[0]))
				.as(type.getName())
				.accepts(hints));
	}

}
