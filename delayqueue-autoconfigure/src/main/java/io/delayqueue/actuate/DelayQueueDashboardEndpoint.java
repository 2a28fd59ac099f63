package io.delayqueue.actuate;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;

import io.delayqueue.observe.ProcessStatistics;
import io.delayqueue.observe.ProcessStatistics.Figures;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.context.annotation.ImportRuntimeHints;

/**
 * Actuator endpoint that serves the dashboard, an HTML page that shows and operates
 * queues. In the user's browser, the page sends requests to this endpoint, to
 * {@link DelayQueueEndpoint} and to the endpoint of the outbox. The requests contain the
 * user's credentials, so the page grants no additional rights. The sub-path
 * {@code figures} returns the message counters of the process that answers the request.
 * Safe for use by several threads.
 *
 * <p>
 * The page loads nothing from other hosts, and its Content-Security-Policy permits only
 * its own script. The page and a response header contain the Content-Security-Policy; the
 * header also prevents other pages from showing this page in a frame. Another response
 * header forbids caching.
 */
@WebEndpoint(id = "delayqueuedashboard", defaultAccess = Access.READ_ONLY)
@ImportRuntimeHints(DashboardPage.Files.class)
@RegisterReflectionForBinding({ DelayQueueDashboardEndpoint.FiguresDescriptor.class, Figures.class })
public class DelayQueueDashboardEndpoint {

	static final EndpointId OWN = EndpointId.of("delayqueuedashboard");

	private static final EndpointId QUEUES = EndpointId.of("delayqueue");

	/** The id of the outbox endpoint, whose class is in the module of the outbox. */
	private static final EndpointId OUTBOX = EndpointId.of("delayqueueoutbox");

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
	 * @param endpoints the paths of the exposed endpoints
	 * @param access resolves the permitted access to an endpoint
	 * @param figures the counters of this process
	 * @param servletHeaders sets response headers in a servlet application
	 * @param csrf provides the CSRF token of a request in a servlet application with
	 * Spring Security
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
	 * {@return the HTML page of the dashboard}
	 */
	@ReadOperation(produces = "text/html;charset=UTF-8")
	public String page() {
		this.servletHeaders.ifAvailable((servlet) -> servlet.set(this.headers));
		Map<String, String> data = new LinkedHashMap<>();
		PathMappedEndpoints known = this.endpoints.getIfAvailable();
		String own = (known != null) ? known.getRootPath(OWN) : null;
		String queues = (known != null) ? known.getRootPath(QUEUES) : null;
		if (own != null) {
			data.put(FIGURES, DashboardPage.reference(own, own + "/" + FIGURES));
		}
		if (own != null && queues != null) {
			data.put("endpoint", DashboardPage.reference(own, queues));
			data.put("access", access(QUEUES));
		}
		String outbox = (known != null) ? known.getRootPath(OUTBOX) : null;
		if (own != null && outbox != null) {
			data.put("outbox", DashboardPage.reference(own, outbox));
			data.put("outbox-access", access(OUTBOX));
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

	/**
	 * The message counters of the process that answers the request, for each queue.
	 *
	 * @param process an id that the process generates at each start
	 * @param queues the counters of each queue, {@code null} if this process has no
	 * meters
	 */
	public record FiguresDescriptor(String process, @Nullable List<Figures> queues) implements OperationResponseBody {
	}

	/** Returns the response headers of the page. */
	Map<String, String> headers() {
		return this.headers;
	}

	private String access(EndpointId endpoint) {
		EndpointAccessResolver resolver = this.access.getIfAvailable();
		Access access = (resolver != null) ? resolver.accessFor(endpoint, Access.READ_ONLY) : Access.READ_ONLY;
		return access.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/**
	 * Returns the message counters of this process.
	 * @param view the sub-path; only {@code figures} is valid
	 * @return the counters, {@code null} for any other sub-path
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
