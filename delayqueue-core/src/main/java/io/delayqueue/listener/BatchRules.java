package io.delayqueue.listener;

import java.util.List;

import io.delayqueue.DelayedMessage;
import io.delayqueue.delivery.BatchSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;

/**
 * Checks batch listeners: parameters, beans and sizes.
 */
final class BatchRules {

	private static final String LIST = "Take one parameter, a List<T> or a List<DelayedMessage<T>>";

	private static final String SINGLE = "is called for one message at a time and does not support batches";

	private final Queues queues;

	private final ListenerArguments arguments;

	BatchRules(Queues queues, ListenerArguments arguments) {
		this.queues = queues;
		this.arguments = arguments;
	}

	void check(Attributes attributes, ListenerMethod method, Faults.OfMethod faults) {
		if (!attributes.batching().enabled()) {
			checkNoListOfMessages(method.getMethodParameters(),
					attributes.expired() ? "Take one message" : "Set batch, or take one message", faults);
			return;
		}
		checkParameters(method.getMethodParameters(), faults);
		checkBeans(attributes.beans(), faults);
		BatchSettings batches = attributes.batching().settings();
		if (batches != null) {
			checkSizes(attributes, batches, faults);
		}
	}

	/** A payload may be a list, but its elements are never a DelayedMessage. */
	private static void checkNoListOfMessages(MethodParameter[] parameters, String fix, Faults.OfMethod faults) {
		for (MethodParameter parameter : parameters) {
			if (parameter.getParameterType() == List.class
					&& PayloadTypes.classOf(parameter.nested()) == DelayedMessage.class) {
				faults.method("takes a List of DelayedMessage, but is not a batch listener", fix);
			}
		}
	}

	private void checkParameters(MethodParameter[] parameters, Faults.OfMethod faults) {
		if (parameters.length != 1) {
			faults.method("takes batches, but has " + parameters.length + " parameters", LIST);
			return;
		}
		Class<?> type = parameters[0].getParameterType();
		if (type != List.class) {
			faults.method("takes batches, but as " + type.getSimpleName() + " and not as List", LIST);
		}
		else if (ResolvableType.forMethodParameter(parameters[0]).getGeneric().resolve() == null) {
			faults.method("takes batches as a List without a type argument", LIST);
		}
		else if (!this.arguments.isPayload(parameters[0])) {
			faults.method("takes a header, but each message of a batch has its own headers", LIST);
		}
	}

	private static void checkBeans(BeanNames beans, Faults.OfMethod faults) {
		String errorHandler = beans.errorHandler();
		if (errorHandler != null) {
			faults.attribute("errorHandler", errorHandler, SINGLE,
					"Leave it out, and throw a BatchFailedException that names the failed messages");
		}
		beans.interceptors()
			.forEach((interceptor) -> faults.attribute("interceptors", interceptor, SINGLE,
					"Leave it out, and intercept the method of the listener instead, for example with an aspect"));
	}

	private void checkSizes(Attributes attributes, BatchSettings batches, Faults.OfMethod faults) {
		Integer concurrency = attributes.concurrency();
		if (concurrency != null && concurrency < batches.most()) {
			faults.attribute("concurrency", concurrency.toString(),
					"counts messages, and is less than batch '" + batches.most() + "'",
					"Use at least the batch size, or twice that to collect the next batch while one is handled");
		}
		String queue = attributes.queue();
		if (queue == null) {
			return;
		}
		QueueSettings settings = this.queues.settings(queue);
		if (batches.byGroup()) {
			checkGroups(settings.groups(), batches, faults);
		}
		if (!batches.isWithin(settings)) {
			faults
				.attribute("batchWait", batches.patience().toMillis() + "ms",
						"is not below a third of the queue's visibility-timeout, "
								+ settings.visibilityTimeout().toMillis() + "ms",
						"Use a shorter batchWait, or a longer visibility-timeout for the queue");
		}
	}

	/** Ignores overrides for single groups: they get smaller batches on purpose. */
	private static void checkGroups(GroupSettings groups, BatchSettings batches, Faults.OfMethod faults) {
		int most = batches.most();
		String fix = "Use a smaller batch, raise the limit of the groups, or leave out groupBy";
		if (groups.concurrency() > 0 && groups.concurrency() < most) {
			faults.attribute("batch", String.valueOf(most),
					"is more than a group may have at once: the queue's group.concurrency is " + groups.concurrency(),
					fix);
		}
		Integer maxActive = groups.maxActive();
		if (maxActive != null && maxActive < most) {
			faults.attribute("batch", String.valueOf(most),
					"is more than a group may have at once: the queue's group.max-active is " + maxActive, fix);
		}
	}

}
