package io.delayqueue.sample.redis;

import java.net.URI;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.delayqueue.sample.redis.OwnRedisAutoConfiguration.OwnRedisConnectionDetails;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whether a server is started. Each start is made to fail, so that no server is needed.
 */
class OwnRedisAutoConfigurationTests {

	@TempDir
	private Path temporary;

	private ApplicationContextRunner application;

	@BeforeEach
	void makeStartsFail() throws Exception {
		this.application = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(OwnRedisAutoConfiguration.class))
			.withPropertyValues("sample.redis.dir=" + Files.createFile(this.temporary.resolve("file")));
	}

	@Test
	void withoutAPropertyTheApplicationStartsARedisServer() {
		this.application.run((context) -> assertThat(context).getFailure()
			.hasRootCauseInstanceOf(Exception.class)
			.rootCause()
			.isInstanceOf(FileAlreadyExistsException.class));
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "spring.data.redis.port=7000", "spring.data.redis.timeout=1s", "spring.data.redis.database=1" })
	void propertiesWithoutAnAddressOfRedisHaveNoEffect(String setting) {
		this.application.withPropertyValues(setting).run((context) -> assertThat(context).hasFailed());
	}

	@ParameterizedTest
	@ValueSource(strings = { "spring.data.redis.url=redis://elsewhere:7000", "spring.data.redis.host=elsewhere",
			"spring.data.redis.cluster.nodes=a:1,b:2", "spring.data.redis.cluster.nodes[0]=a:1",
			"spring.data.redis.sentinel.nodes=a:1" })
	void anAddressOfRedisInAPropertyIsUsed(String setting) {
		this.application.withPropertyValues(setting)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(OwnRedisConnectionDetails.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { "SPRING_DATA_REDIS_HOST=elsewhere", "SPRING_DATA_REDIS_CLUSTER_NODES=a:1,b:2" })
	void anAddressOfRedisInAnEnvironmentVariableIsUsed(String variable) {
		this.application
			.withInitializer((context) -> TestPropertyValues.of(variable)
				.applyTo(context.getEnvironment(), TestPropertyValues.Type.SYSTEM_ENVIRONMENT, "test"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(OwnRedisConnectionDetails.class));
	}

	@Test
	void otherConnectionDetailsAreUsed() {
		DataRedisConnectionDetails other = new OwnRedisConnectionDetails(URI.create("redis://elsewhere:7000"));
		this.application.withBean("other", DataRedisConnectionDetails.class, () -> other)
			.run((context) -> assertThat(context).hasNotFailed()
				.getBean(DataRedisConnectionDetails.class)
				.isSameAs(other));
	}

}
