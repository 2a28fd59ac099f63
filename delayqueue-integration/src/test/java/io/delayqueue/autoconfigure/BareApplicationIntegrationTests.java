package io.delayqueue.autoconfigure;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.test.redis.SharedRedis;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs an application whose class path contains neither the actuator nor Micrometer
 * meters and tracing. It is a separate process, because a filtered class loader would
 * still contain the classes.
 */
class BareApplicationIntegrationTests {

	private static final List<String> ABSENT = List.of("spring-boot-actuator", "spring-boot-starter-actuator",
			"spring-boot-health", "spring-boot-micrometer", "spring-boot-starter-micrometer", "micrometer-core",
			"micrometer-registry", "micrometer-jakarta9", "micrometer-tracing", "opentelemetry");

	@Test
	void applicationWithoutActuatorAndMicrometerStartsAndSchedules() throws Exception {
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				bareClassPath(), Bare.class.getName(), "--spring.data.redis.url=" + SharedRedis.get().uri(),
				"--spring.data.redis.client-type=jedis", "--delayqueue.key-prefix=bare")
			.redirectErrorStream(true)
			.start();
		try {
			String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
			assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
			assertThat(output).contains("metered false, meters false, actuator false, health false, accepted true");
			assertThat(process.exitValue()).isZero();
		}
		finally {
			process.destroyForcibly();
		}
	}

	private static String bareClassPath() {
		return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> ABSENT.stream().noneMatch(Path.of(entry).getFileName().toString()::startsWith))
			.collect(Collectors.joining(File.pathSeparator));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Bare {

		public static void main(String[] arguments) {
			try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Bare.class)
				.web(WebApplicationType.NONE)
				.run(arguments)) {
				boolean accepted = context.getBean(DelayQueueOperations.class)
					.schedule("orders", "p", Duration.ofHours(1))
					.isAccepted();
				System.out.println("metered " + context.containsBean("delayQueueMeters") + ", meters "
						+ isPresent("io.micrometer.core.instrument.MeterRegistry") + ", actuator "
						+ isPresent("org.springframework.boot.actuate.endpoint.annotation.Endpoint") + ", health "
						+ isPresent("org.springframework.boot.health.contributor.Health") + ", accepted " + accepted);
			}
		}

		private static boolean isPresent(String type) {
			return ClassUtils.isPresent(type, null);
		}

	}

}
