package io.delayqueue.actuate;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;

/**
 * Responds with 400 to a write operation of the endpoint {@code delayqueue} that has an
 * unknown parameter. Spring ignores unknown parameters, so a misspelt {@code dryRun}
 * would discard messages that the caller meant to count. Read operations and other
 * endpoints still accept unknown parameters.
 */
public final class KnownParametersOnly implements OperationInvokerAdvisor {

	private static final EndpointId ENDPOINT = EndpointId.of("delayqueue");

	private static final Set<String> PATH_PARAMETERS = Set.of("queue", "action");

	@Override
	public OperationInvoker apply(EndpointId endpointId, OperationType operationType, OperationParameters parameters,
			OperationInvoker invoker) {
		if (!endpointId.equals(ENDPOINT) || operationType != OperationType.WRITE) {
			return invoker;
		}
		List<String> known = parameters.stream()
			.filter((parameter) -> parameter.getType() != SecurityContext.class)
			.map(OperationParameter::getName)
			.toList();
		String named = known.stream()
			.filter((name) -> !PATH_PARAMETERS.contains(name))
			.collect(Collectors.joining(", "));
		return (context) -> isKnown(known, context) ? invoker.invoke(context)
				: ProblemDescriptor.unknownParameter(named);
	}

	private static boolean isKnown(List<String> known, InvocationContext context) {
		return known.containsAll(context.getArguments().keySet());
	}

}
