package io.delayqueue.actuate;

import java.util.List;
import java.util.Optional;

import io.delayqueue.event.DelayQueueOperatedEvent.Action;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;

/**
 * Responds with 400 to a write operation of the endpoint {@code delayqueue} that has an
 * unknown parameter, and lists the parameters of the action. Spring ignores unknown
 * parameters, so a misspelt {@code dryRun} would discard messages that the caller meant
 * to count. Read operations and other endpoints still accept unknown parameters.
 */
public final class KnownParametersOnly implements OperationInvokerAdvisor, AopInfrastructureBean {

	private static final EndpointId ENDPOINT = EndpointId.of("delayqueue");

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
		return (context) -> {
			Optional<Action> action = ActionParameters.action(String.valueOf(context.getArguments().get("action")));
			// The operation itself reports an unknown action
			return action.isEmpty() || known.containsAll(context.getArguments().keySet()) ? invoker.invoke(context)
					: ProblemDescriptor.unknownParameter(ActionParameters.of(action.get()));
		};
	}

}
