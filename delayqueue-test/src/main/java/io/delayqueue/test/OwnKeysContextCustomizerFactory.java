package io.delayqueue.test;

import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/**
 * Sets a unique key prefix in each application context of an
 * {@link AutoConfigureDelayQueueTest}.
 */
final class OwnKeysContextCustomizerFactory implements ContextCustomizerFactory {

	@Override
	public @Nullable ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> attributes) {
		return TestContextAnnotationUtils.hasAnnotation(testClass, AutoConfigureDelayQueueTest.class) ? new OwnPrefix()
				: null;
	}

	/**
	 * Sets the key prefix of an application context. All instances of this record are
	 * equal, so that test classes can share an application context.
	 */
	private record OwnPrefix() implements ContextCustomizer {

		@Override
		public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration merged) {
			context.getEnvironment()
				.getPropertySources()
				.addFirst(new MapPropertySource("delayqueue-test",
						Map.of("delayqueue.key-prefix", "dq-test-" + UUID.randomUUID())));
		}

	}

}
