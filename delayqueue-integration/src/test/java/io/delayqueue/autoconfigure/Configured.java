package io.delayqueue.autoconfigure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.delayqueue.autoconfigure.InvalidConfigurationException.Fault;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.MapPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Starts applications with given properties.
 */
final class Configured {

	static final ApplicationContextRunner RUNNER = new ApplicationContextRunner()
		.withPropertyValues("spring.data.redis.client-type=jedis")
		.withConfiguration(AutoConfigurations.of(DelayQueueAutoConfiguration.class, DataRedisAutoConfiguration.class));

	private Configured() {
	}

	/**
	 * Starts an application.
	 * @param properties each as in a properties file; a colon is part of the name
	 * @return the faults that prevented the start, none if the application started
	 */
	static List<Fault> faults(String... properties) {
		List<Fault> faults = new ArrayList<>();
		with(properties).run((context) -> {
			Throwable failure = context.getStartupFailure();
			if (failure != null) {
				faults.addAll(root(failure).faults());
			}
		});
		return faults;
	}

	/**
	 * Starts an application whose start must succeed.
	 * @param queue a queue's name
	 * @param properties each as in a properties file; a colon is part of the name
	 * @return the settings of the queue
	 */
	static QueueSettings settings(String queue, String... properties) {
		List<QueueSettings> settings = new ArrayList<>();
		with(properties).run((context) -> settings.add(context.getBean(Queues.class).settings(queue)));
		return settings.get(0);
	}

	private static ApplicationContextRunner with(String... properties) {
		Map<String, Object> values = new LinkedHashMap<>();
		for (String property : properties) {
			int end = property.indexOf('=');
			values.put(property.substring(0, end), property.substring(end + 1));
		}
		return RUNNER.withInitializer((context) -> context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("the test's", values)));
	}

	private static InvalidConfigurationException root(Throwable failure) {
		@Nullable Throwable cause = failure;
		while (cause != null && !(cause instanceof InvalidConfigurationException)) {
			cause = cause.getCause();
		}
		assertThat(cause).as("root cause of " + failure).isNotNull();
		return (InvalidConfigurationException) cause;
	}

}
