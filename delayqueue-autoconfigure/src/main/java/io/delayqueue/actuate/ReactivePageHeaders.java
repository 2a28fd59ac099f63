package io.delayqueue.actuate;

import java.util.Map;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Sets the response headers of the dashboard's page in a reactive application, where an
 * endpoint has no access to the response. Safe for use by several threads.
 *
 * <p>
 * The filter matches paths in the same way as Spring matches paths to the endpoint, so
 * that no spelling of a path returns the page without its headers.
 */
public final class ReactivePageHeaders implements WebFilter, AopInfrastructureBean {

	private final Map<String, String> headers;

	private final SingletonSupplier<PathPattern> page;

	/**
	 * Creates the filter.
	 * @param dashboard provides the headers
	 * @param endpoints provides the path of the page when the first request arrives
	 */
	public ReactivePageHeaders(DelayQueueDashboardEndpoint dashboard, ObjectProvider<PathMappedEndpoints> endpoints) {
		this.headers = dashboard.headers();
		this.page = SingletonSupplier.of(() -> page(endpoints.getIfAvailable()));
	}

	private static @Nullable PathPattern page(@Nullable PathMappedEndpoints endpoints) {
		String path = (endpoints != null) ? endpoints.getPath(DelayQueueDashboardEndpoint.OWN) : null;
		return (path != null) ? PathPatternParser.defaultInstance.parse(path) : null;
	}

	@Override
	public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
		PathPattern path = this.page.get();
		if (path != null && path.matches(exchange.getRequest().getPath().pathWithinApplication())) {
			this.headers.forEach(exchange.getResponse().getHeaders()::set);
		}
		return chain.filter(exchange);
	}

}
