package io.delayqueue.autoconfigure;

import io.delayqueue.DelayQueueOperations;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Reports of failed starts if a bean of delayed messages is missing.
 */
@ExtendWith(OutputCaptureExtension.class)
class MissingBeanTests {

	@Test
	void missingBeanReportNamesThePropertyThatDisablesDelayedMessages(CapturedOutput output) {
		assertThatException().isThrownBy(() -> run("--delayqueue.enabled=false"));
		assertThat(output).contains("method needs in " + Shop.class.getName() + " needs a DelayQueueOperations",
				"delayqueue.enabled is 'false'", "Set delayqueue.enabled to true");
	}

	@Test
	void missingBeanReportNamesMissingRedis(CapturedOutput output) {
		assertThatException().isThrownBy(() -> run(
				"--spring.autoconfigure.exclude=org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"));
		assertThat(output).contains("needs a DelayQueueOperations, but there is no RedisConnectionFactory",
				"Add the starter");
	}

	/** Each test annotation for a part of an application sets this property. */
	@Test
	void missingBeanReportOfATestOfAPartOfTheApplicationSuggestsAMock(CapturedOutput output) {
		assertThatException().isThrownBy(() -> run("--spring.boot.enableautoconfiguration=false"));
		assertThat(output)
			.contains("needs a DelayQueueOperations, but this test loads only a part of the application",
					"@MockitoBean DelayQueueOperations", "@DelayQueueTest")
			.doesNotContain("Add the starter");
	}

	@Test
	void missingBeanReportDoesNotBlameRedisIfItIsAvailable(CapturedOutput output) {
		assertThatException()
			.isThrownBy(() -> run("--spring.autoconfigure.exclude=" + DelayQueueAutoConfiguration.class.getName()));
		assertThat(output).contains("required a bean of type '" + DelayQueueOperations.class.getName() + "'")
			.doesNotContain("there is no RedisConnectionFactory");
	}

	private static void run(String... arguments) {
		new SpringApplicationBuilder(Shop.class).web(WebApplicationType.NONE).run(arguments).close();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Shop {

		@Bean
		String needs(DelayQueueOperations delayQueue) {
			return delayQueue.toString();
		}

	}

}
