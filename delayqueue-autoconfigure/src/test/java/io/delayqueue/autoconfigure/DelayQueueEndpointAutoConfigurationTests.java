package io.delayqueue.autoconfigure;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.actuate.DelayQueueEndpoint;
import io.delayqueue.actuate.DelayQueueEndpointWebExtension;
import io.delayqueue.store.QueueDirectory;
import io.delayqueue.store.Snapshots;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

class DelayQueueEndpointAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("spring.data.redis.client-type=jedis")
		.withConfiguration(AutoConfigurations.of(DelayQueueEndpointAutoConfiguration.class,
				DelayQueueAutoConfiguration.class, DataRedisAutoConfiguration.class));

	private final ApplicationContextRunner exposed = this.runner
		.withPropertyValues("management.endpoints.web.exposure.include=delayqueue");

	@Test
	void theEndpointIsThereWhereItIsExposed() {
		this.exposed.run((context) -> assertThat(context).hasSingleBean(DelayQueueEndpoint.class)
			.hasSingleBean(DelayQueueEndpointWebExtension.class));
	}

	@Test
	void anEndpointThatIsNotExposedIsNotMade() {
		this.runner.run((context) -> assertThat(context).hasSingleBean(DelayQueueOperations.class)
			.doesNotHaveBean(DelayQueueEndpoint.class)
			.doesNotHaveBean(DelayQueueEndpointWebExtension.class));
	}

	@Test
	void exposedByJmxOnlyItHasNoWebExtension() {
		this.runner
			.withPropertyValues("spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=delayqueue")
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueEndpoint.class)
				.doesNotHaveBean(DelayQueueEndpointWebExtension.class));
	}

	@Test
	void whereNobodyMayAccessItItIsNotMade() {
		this.exposed.withPropertyValues("management.endpoint.delayqueue.access=NONE")
			.run((context) -> assertThat(context).doesNotHaveBean(DelayQueueEndpoint.class)
				.doesNotHaveBean(DelayQueueEndpointWebExtension.class));
	}

	@Test
	void byDefaultItMayBeReadOnly() {
		assertThat(DelayQueueEndpoint.class.getAnnotation(Endpoint.class).defaultAccess()).isEqualTo(Access.READ_ONLY);
	}

	@Test
	void withoutTheActuatorTheRestIsThere() {
		this.exposed.withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate.endpoint.annotation"))
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueOperations.class)
				.doesNotHaveBean(DelayQueueEndpointAutoConfiguration.class));
	}

	@Test
	void anEndpointOfTheUserIsUsedInstead() {
		this.exposed.withUserConfiguration(OwnEndpoint.class)
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueEndpoint.class).hasBean("ownEndpoint"));
	}

	@Test
	void switchedOffItLeavesNothing() {
		this.exposed.withPropertyValues("delayqueue.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(DelayQueueEndpoint.class)
				.doesNotHaveBean(DelayQueueEndpointWebExtension.class));
	}

	@Configuration(proxyBeanMethods = false)
	static class OwnEndpoint {

		@Bean
		DelayQueueEndpoint ownEndpoint(QueueDirectory directory, Snapshots snapshots) {
			return new DelayQueueEndpoint(directory, snapshots);
		}

	}

}
