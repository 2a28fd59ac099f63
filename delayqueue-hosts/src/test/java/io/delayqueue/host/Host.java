package io.delayqueue.host;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import io.delayqueue.test.redis.SharedRedis;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Starts an application with all its auto-configurations, with and without Redis and
 * delayed messages.
 */
final class Host {

	private static final String NO_REDIS = "spring.autoconfigure.exclude="
			+ "${host.without.batch},${host.without.jpa},${host.without.session},"
			+ "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration";

	private Host() {
	}

	static ConfigurableApplicationContext start(Class<?> application, String... properties) {
		return run(application, List.of(properties));
	}

	static ConfigurableApplicationContext startWithoutRedis(Class<?> application) {
		return run(application, List.of(NO_REDIS));
	}

	private static ConfigurableApplicationContext run(Class<?> application, List<String> more) {
		List<String> properties = new ArrayList<>(List.of("spring.data.redis.url=" + SharedRedis.get().uri(),
				"delayqueue.key-prefix=host-" + UUID.randomUUID(), "spring.sql.init.mode=always"));
		properties.addAll(more);
		return new SpringApplicationBuilder(application).web(WebApplicationType.NONE)
			.run(properties.stream().map((property) -> "--" + property).toArray(String[]::new));
	}

}
