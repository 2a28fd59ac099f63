package io.delayqueue.actuate;

import java.security.Principal;
import java.util.Set;
import java.util.function.Supplier;

import io.delayqueue.DelayQueueUnavailableException;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.RedisRefusedException;
import io.delayqueue.actuate.ProblemException.Problem;
import io.delayqueue.redis.FailureKind;
import io.delayqueue.redis.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * Answers requests to {@link DelayQueueEndpoint} over HTTP. Error responses contain
 * problem details (RFC 9457). Status 400: invalid or unknown parameter. Status 404:
 * unknown queue, message, view or action. Status 409: the operation is not possible in
 * the current state of the queue or message. Status 503: Redis does not answer, or
 * refuses the call; the timeouts of the application's Redis client bound the time until
 * this response. Spring Boot calls the operations of this class in place of those of the
 * endpoint; both have the same parameters. Safe for use by several threads.
 */
@RegisterReflectionForBinding(ProblemDescriptor.class)
@EndpointWebExtension(endpoint = DelayQueueEndpoint.class)
public class DelayQueueEndpointWebExtension {

	private static final Log logger = LogFactory.getLog(DelayQueueEndpointWebExtension.class);

	private final DelayQueueEndpoint endpoint;

	private final Show showPayloads;

	private final Set<String> roles;

	/**
	 * Creates the extension.
	 * @param endpoint the endpoint
	 * @param showPayloads the callers to which the endpoint shows payloads
	 * @param roles the roles of authorized users, used if the endpoint shows payloads to
	 * authorized users only: each of these roles authorizes a user; empty to authorize
	 * all authenticated users
	 */
	public DelayQueueEndpointWebExtension(DelayQueueEndpoint endpoint, Show showPayloads, Set<String> roles) {
		this.endpoint = endpoint;
		this.showPayloads = showPayloads;
		this.roles = Set.copyOf(roles);
	}

	/** Responds with 200 and a page of queues, or with 400 or 503. */
	@ReadOperation
	WebEndpointResponse<OperationResponseBody> queues(@Nullable String from, @Nullable String limit,
			@Nullable String group) {
		return respond(() -> this.endpoint.show(Parameters.of("from", from, "limit", limit, "group", group)));
	}

	/** Responds with 200 and one queue, or with 404 or 503. */
	@ReadOperation
	WebEndpointResponse<OperationResponseBody> queue(@Selector String queue) {
		return respond(() -> this.endpoint.show(queue));
	}

	/**
	 * Responds with 200 and a page of messages or one message, or with 400, 404 or 503.
	 */
	@ReadOperation
	WebEndpointResponse<OperationResponseBody> view(SecurityContext security, @Selector String queue,
			@Selector String view, @Nullable String state, @Nullable String id, @Nullable String group,
			@Nullable String reason, @Nullable String from, @Nullable String limit, @Nullable String groupPrefix,
			@Nullable String idPrefix, @Nullable String retries, @Nullable String over) {
		return respond(() -> this.endpoint.show(queue, view,
				Parameters.of("state", state, "id", id, "group", group, "groupPrefix", groupPrefix, "idPrefix",
						idPrefix, "retries", retries, "reason", reason, "from", from, "limit", limit, "over", over),
				this.showPayloads.isShown(security, this.roles)));
	}

	/**
	 * Responds with 200 and the result of the operation, or with 400, 404, 409 or 503.
	 */
	@WriteOperation
	WebEndpointResponse<OperationResponseBody> operate(SecurityContext security, @Selector String queue,
			@Selector String action, @Nullable String id, @Nullable String group, @Nullable String at,
			@Nullable String delay, @Nullable String now, @Nullable String reason, @Nullable String limit,
			@Nullable String within, @Nullable String dryRun, @Nullable String confirm, @Nullable String deadLetters,
			@Nullable String from, @Nullable String partitions, @Nullable String why, @Nullable String messages,
			@Nullable String per, @Nullable String burst, @Nullable String key, @Nullable String newId,
			@Nullable String headers, @Nullable String payload, @Nullable String encoding) {
		Principal principal = security.getPrincipal();
		Parameters parameters = Parameters.of("id", id, "group", group, "at", at, "delay", delay, "now", now, "reason",
				reason, "limit", limit, "within", within, "dryRun", dryRun, "confirm", confirm, "deadLetters",
				deadLetters, "from", from, "partitions", partitions, "why", why, "messages", messages, "per", per,
				"burst", burst, "key", key, "newId", newId, "headers", headers, "payload", payload, "encoding",
				encoding);
		return respond(() -> this.endpoint.operate(
				(principal != null) ? principal.getName() : DelayQueueEndpoint.ANONYMOUS, queue, action, parameters));
	}

	private static WebEndpointResponse<OperationResponseBody> respond(Supplier<? extends OperationResponseBody> call) {
		try {
			return new WebEndpointResponse<>(call.get());
		}
		catch (ProblemException problem) {
			return ProblemDescriptor.of(problem);
		}
		catch (InvalidMessageException invalid) {
			return ProblemDescriptor.invalidParameter(invalid);
		}
		catch (DelayQueueUnavailableException unavailable) {
			return ProblemDescriptor.of(Problem.REDIS_UNAVAILABLE);
		}
		catch (RedisRefusedException refused) {
			logger.warn("Redis refused a request to the endpoint: " + refused.getMessage());
			return ProblemDescriptor.of(Problem.REDIS_REFUSED);
		}
		catch (StoreException failure) {
			boolean refused = failure.kind() == FailureKind.REFUSED;
			if (refused) {
				logger.warn("The queues could not be read: " + failure.getMessage());
			}
			logger.debug("The queues could not be read", failure);
			return ProblemDescriptor.of(refused ? Problem.REDIS_REFUSED : Problem.REDIS_UNAVAILABLE);
		}
	}

}
