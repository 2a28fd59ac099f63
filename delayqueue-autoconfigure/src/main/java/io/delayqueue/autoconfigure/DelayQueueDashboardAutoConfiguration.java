package io.delayqueue.autoconfigure;

import io.delayqueue.actuate.DelayQueueDashboardEndpoint;
import io.delayqueue.actuate.ReactivePageHeaders;
import io.delayqueue.actuate.ServletCsrfToken;
import io.delayqueue.actuate.ServletPageHeaders;
import io.delayqueue.engine.DelayQueueEngine;
import io.delayqueue.observe.ProcessStatistics;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Auto-configuration of the dashboard, if its endpoint is exposed over HTTP.
 */
@AutoConfiguration(after = { DelayQueueAutoConfiguration.class, DelayQueueMetricsAutoConfiguration.class })
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnWebApplication
@ConditionalOnBean(DelayQueueEngine.class)
@ConditionalOnAvailableEndpoint(endpoint = DelayQueueDashboardEndpoint.class, exposure = EndpointExposure.WEB)
public final class DelayQueueDashboardAutoConfiguration implements AopInfrastructureBean {

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
	@ConditionalOnClass(name = "org.springframework.web.context.request.ServletRequestAttributes")
	ServletPageHeaders delayQueueDashboardHeaders() {
		return new ServletPageHeaders();
	}

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
	@ConditionalOnClass(name = "org.springframework.security.web.csrf.CsrfToken")
	ServletCsrfToken delayQueueDashboardCsrfToken() {
		return new ServletCsrfToken();
	}

	@Bean
	@ConditionalOnMissingBean
	DelayQueueDashboardEndpoint delayQueueDashboardEndpoint(ObjectProvider<PathMappedEndpoints> endpoints,
			ObjectProvider<EndpointAccessResolver> access, ObjectProvider<ProcessStatistics> statistics,
			ObjectProvider<ServletPageHeaders> headers, ObjectProvider<ServletCsrfToken> csrf) {
		return new DelayQueueDashboardEndpoint(endpoints, access, statistics, headers, csrf);
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
	static class Reactive {

		@Bean
		@ConditionalOnMissingBean
		ReactivePageHeaders delayQueueDashboardReactiveHeaders(DelayQueueDashboardEndpoint dashboard,
				ObjectProvider<PathMappedEndpoints> endpoints) {
			return new ReactivePageHeaders(dashboard, endpoints);
		}

	}

}
