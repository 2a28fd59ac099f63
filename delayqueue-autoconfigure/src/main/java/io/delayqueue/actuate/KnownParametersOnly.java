package io.delayqueue.actuate;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;

/**
 * Responds with 400 to a request to the endpoint {@code delayqueue} that has an unknown
 * parameter, and lists the parameters of the action or view. Spring ignores unknown
 * parameters, so a misspelt {@code dryRun} would discard messages that the caller meant
 * to count, and a misspelt {@code group} would show messages of other groups. Other
 * endpoints still accept unknown parameters. Parameters of a login are accepted:
 * {@code continue}, which Spring Security adds to the address of a page after a login,
 * and {@code access_token} (RFC 6750).
 */
public final class KnownParametersOnly implements OperationInvokerAdvisor, AopInfrastructureBean {

	private static final EndpointId ENDPOINT = EndpointId.of("delayqueue");

	private static final List<String> LOGIN = List.of("continue", "access_token");

	@Override
	public OperationInvoker apply(EndpointId endpointId, OperationType operationType, OperationParameters parameters,
			OperationInvoker invoker) {
		if (!endpointId.equals(ENDPOINT)) {
			return invoker;
		}
		List<String> known = parameters.stream()
			.filter((parameter) -> parameter.getType() != SecurityContext.class)
			.map(OperationParameter::getName)
			.toList();
		return (context) -> {
			if (context.getArguments()
				.keySet()
				.stream()
				.allMatch((name) -> known.contains(name) || LOGIN.contains(name))) {
				return invoker.invoke(context);
			}
			Optional<List<String>> accepted = accepted(operationType, context.getArguments(), known);
			// The operation itself reports an unknown action or view
			return accepted.isEmpty() ? invoker.invoke(context) : ProblemDescriptor
				.unknownParameter((operationType == OperationType.WRITE) ? "action" : "view", accepted.get());
		};
	}

	private static Optional<List<String>> accepted(OperationType operationType, Map<String, Object> arguments,
			List<String> known) {
		if (operationType == OperationType.WRITE) {
			return ActionParameters.action(String.valueOf(arguments.get("action"))).map(ActionParameters::of);
		}
		return arguments.containsKey("view") ? ActionParameters.ofView(String.valueOf(arguments.get("view")))
				: Optional.of(known.stream().filter((name) -> !name.equals("queue")).toList());
	}

}
