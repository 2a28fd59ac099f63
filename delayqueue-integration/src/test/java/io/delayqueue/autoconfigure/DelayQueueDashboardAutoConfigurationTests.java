package io.delayqueue.autoconfigure;

import io.delayqueue.DelayQueueOperations;
import io.delayqueue.actuate.DelayQueueDashboardEndpoint;
import io.delayqueue.actuate.DelayQueueEndpoint;
import io.delayqueue.actuate.ReactivePageHeaders;
import io.delayqueue.actuate.ServletCsrfToken;
import io.delayqueue.actuate.ServletPageHeaders;
import io.delayqueue.observe.ProcessStatistics;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class DelayQueueDashboardAutoConfigurationTests {

	private static final AutoConfigurations AUTO_CONFIGURATIONS = AutoConfigurations.of(
			DelayQueueDashboardAutoConfiguration.class, DelayQueueEndpointAutoConfiguration.class,
			DelayQueueMetricsAutoConfiguration.class, DelayQueueAutoConfiguration.class,
			DataRedisAutoConfiguration.class, MetricsAutoConfiguration.class,
			SimpleMetricsExportAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class);

	private static final String[] EXPOSED = { "spring.data.redis.client-type=jedis",
			"management.endpoints.web.exposure.include=delayqueuedashboard" };

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
		.withPropertyValues("spring.data.redis.client-type=jedis")
		.withConfiguration(AUTO_CONFIGURATIONS);

	private final WebApplicationContextRunner exposed = this.runner.withPropertyValues(EXPOSED);

	@Test
	void dashboardIsCreatedWhenExposed() {
		this.exposed.run((context) -> assertThat(context).hasSingleBean(DelayQueueDashboardEndpoint.class)
			.hasSingleBean(ServletPageHeaders.class)
			.hasSingleBean(ServletCsrfToken.class)
			.hasSingleBean(ProcessStatistics.class)
			.doesNotHaveBean(ReactivePageHeaders.class)
			.doesNotHaveBean(DelayQueueEndpoint.class));
	}

	@Test
	void reactiveApplicationSetsDashboardHeadersInFilter() {
		new ReactiveWebApplicationContextRunner().withConfiguration(AUTO_CONFIGURATIONS)
			.withPropertyValues(EXPOSED)
			.withClassLoader(new FilteredClassLoader("jakarta.servlet"))
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueDashboardEndpoint.class)
				.hasSingleBean(ReactivePageHeaders.class)
				.doesNotHaveBean(ServletPageHeaders.class)
				.doesNotHaveBean(ServletCsrfToken.class));
	}

	@Test
	void servletApplicationDoesNotNeedReactor() {
		this.exposed.withClassLoader(new FilteredClassLoader("reactor", "org.springframework.web.server"))
			.run((context) -> assertThat(context).hasSingleBean(ServletPageHeaders.class)
				.doesNotHaveBean("delayQueueDashboardReactiveHeaders"));
	}

	@Test
	void exposingTheQueueEndpointDoesNotExposeTheDashboard() {
		this.runner.withPropertyValues("management.endpoints.web.exposure.include=delayqueue")
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueEndpoint.class)
				.doesNotHaveBean(DelayQueueDashboardEndpoint.class)
				.doesNotHaveBean(ServletPageHeaders.class));
	}

	@Test
	void noCsrfTokenWithoutSpringSecurity() {
		this.exposed.withClassLoader(new FilteredClassLoader("org.springframework.security"))
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueDashboardEndpoint.class)
				.doesNotHaveBean(ServletCsrfToken.class));
	}

	@Test
	void noProcessStatisticsWithoutMeters() {
		this.exposed.withClassLoader(new FilteredClassLoader("io.micrometer.core"))
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueDashboardEndpoint.class)
				.doesNotHaveBean(ProcessStatistics.class));
	}

	@Test
	void noDashboardWithoutWebApplication() {
		new ApplicationContextRunner().withConfiguration(AUTO_CONFIGURATIONS)
			.withPropertyValues(EXPOSED)
			.run((context) -> assertThat(context).hasSingleBean(DelayQueueOperations.class)
				.doesNotHaveBean(DelayQueueDashboardEndpoint.class));
	}

	@Test
	void disablingDelayedMessagesRemovesAllBeans() {
		this.exposed.withPropertyValues("delayqueue.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(DelayQueueDashboardEndpoint.class));
	}

}
