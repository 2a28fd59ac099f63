package io.delayqueue.actuate;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

import io.delayqueue.observe.ProcessStatistics;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * Actuator endpoint that serves one page, on which people look at queues and operate
 * them. The page asks {@link DelayQueueEndpoint} for all that it shows, and tells it what
 * to do, in the name of whoever has opened it: it can no more than the endpoint allows
 * that person. Besides it there is {@code figures}, what this process has counted. Safe
 * for use by several threads.
 *
 * <p>
 * Nothing is loaded from elsewhere, and by its Content-Security-Policy nothing but its
 * own script runs. The policy stands in the page, and in a header that forbids to frame
 * the page too; another one forbids to keep it.
 */
@WebEndpoint(id = "delayqueuedashboard", defaultAccess = Access.READ_ONLY)
@RegisterReflectionForBinding({ FiguresDescriptor.class, ProcessStatistics.Figures.class })
public final class DelayQueueDashboardEndpoint {

	static final EndpointId OWN = EndpointId.of("delayqueuedashboard");

	private static final EndpointId QUEUES = EndpointId.of("delayqueue");

	private static final String FIGURES = "figures";

	private final String process = UUID.randomUUID().toString();

	private final DashboardPage page = new DashboardPage();

	private final Map<String, String> headers = Map.of("Content-Security-Policy",
			this.page.policy() + "; frame-ancestors 'none'", "Cache-Control", "no-store", "Referrer-Policy",
			"no-referrer", "X-Content-Type-Options", "nosniff");

	private final ObjectProvider<PathMappedEndpoints> endpoints;

	private final ObjectProvider<EndpointAccessResolver> access;

	private final ObjectProvider<ProcessStatistics> figures;

	private final ObjectProvider<ServletPageHeaders> servletHeaders;

	private final ObjectProvider<ServletCsrfToken> csrf;

	/**
	 * Creates the endpoint.
	 * @param endpoints knows the paths of those that are exposed
	 * @param access knows what is allowed there
	 * @param figures what this process has counted
	 * @param servletHeaders sets headers, in a servlet application
	 * @param csrf knows the token of a request, in a servlet application with Spring
	 * Security
	 */
	public DelayQueueDashboardEndpoint(ObjectProvider<PathMappedEndpoints> endpoints,
			ObjectProvider<EndpointAccessResolver> access, ObjectProvider<ProcessStatistics> figures,
			ObjectProvider<ServletPageHeaders> servletHeaders, ObjectProvider<ServletCsrfToken> csrf) {
		this.endpoints = endpoints;
		this.access = access;
		this.figures = figures;
		this.servletHeaders = servletHeaders;
		this.csrf = csrf;
	}

	/**
	 * The page.
	 * @return HTML
	 */
	@ReadOperation(produces = "text/html;charset=UTF-8")
	public String page() {
		this.servletHeaders.ifAvailable((servlet) -> servlet.set(this.headers));
		Map<String, String> data = new LinkedHashMap<>();
		PathMappedEndpoints known = this.endpoints.getIfAvailable();
		String own = (known != null) ? known.getRootPath(OWN) : null;
		String queues = (known != null) ? known.getRootPath(QUEUES) : null;
		if (own != null) {
			data.put(FIGURES, RelativePath.of(own, own + "/" + FIGURES));
		}
		if (own != null && queues != null) {
			data.put("endpoint", RelativePath.of(own, queues));
			data.put("access", access().name().toLowerCase(Locale.ROOT).replace('_', '-'));
		}
		this.csrf.ifAvailable((security) -> {
			ServletCsrfToken.Sent token = security.current();
			if (token != null) {
				data.put("csrf-header", token.header());
				data.put("csrf-token", token.value());
			}
		});
		return this.page.with(data);
	}

	/** What each response with the page says of it. */
	Map<String, String> headers() {
		return this.headers;
	}

	private Access access() {
		EndpointAccessResolver resolver = this.access.getIfAvailable();
		return (resolver != null) ? resolver.accessFor(QUEUES, Access.READ_ONLY) : Access.READ_ONLY;
	}

	/**
	 * What this process has counted.
	 * @param view {@code figures}
	 * @return it, {@code null} if something else is asked for
	 */
	@ReadOperation
	public @Nullable FiguresDescriptor view(@Selector String view) {
		if (!view.equals(FIGURES)) {
			return null;
		}
		ProcessStatistics known = this.figures.getIfAvailable();
		return new FiguresDescriptor(this.process, (known != null) ? known.all() : null);
	}

}
