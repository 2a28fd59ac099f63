package io.delayqueue.listener;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.delayqueue.DelayedMessage;
import io.delayqueue.DurationText;
import io.delayqueue.delivery.BatchSettings;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;

import org.springframework.aop.framework.Advised;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.scheduling.annotation.AsyncAnnotationAdvisor;
import org.springframework.util.StringUtils;

/**
 * Checks the signatures of listener methods, and the parameters, beans and sizes of batch
 * listeners.
 */
final class ListenerRules {

	private static final String AWAITED = "Return nothing, or a CompletionStage that completes when the message is handled";

	private static final String LIST = "Take one parameter, a List<T> or a List<DelayedMessage<T>>";

	private static final String SINGLE = "is called for one message at a time and does not support batches";

	private final Queues queues;

	private final ListenerArguments arguments;

	ListenerRules(Queues queues, ListenerArguments arguments) {
		this.queues = queues;
		this.arguments = arguments;
	}

	void checkSignature(ListenerMethod method, Faults.OfMethod faults) {
		if (Modifier.isStatic(method.getMethod().getModifiers())) {
			faults.method("is static", "Make it a method of the bean's instance");
		}
		if (isSuspending(method)) {
			faults.method("is a suspend function, whose completion is not awaited",
					"Make it a plain function that blocks (runBlocking) or returns a CompletableFuture");
			return;
		}
		checkParameters(method.getMethodParameters(), faults);
		Class<?> returned = method.getReturnedClass();
		if (ReturnTypes.isDeferred(returned)) {
			faults.method("returns " + returned.getName() + ", which is not awaited", AWAITED);
		}
		else if (!ReturnTypes.isAwaited(returned) && isAsync(method)) {
			faults.method("is @Async but returns " + returned.getName()
					+ ": its messages would be acknowledged before they are handled", AWAITED);
		}
	}

	private void checkParameters(MethodParameter[] parameters, Faults.OfMethod faults) {
		List<String> payloads = Stream.of(parameters)
			.filter(this.arguments::isPayload)
			.map((parameter) -> parameter.getParameterType().getSimpleName())
			.toList();
		if (payloads.size() > 1) {
			faults.method("takes more than one payload: " + String.join(", ", payloads),
					"Keep one of them, and annotate parameters for headers with @Header");
		}
		for (MethodParameter parameter : parameters) {
			Payload payload = parameter.getParameterAnnotation(Payload.class);
			if (payload != null && StringUtils.hasText(payload.expression())) {
				faults.method("has a @Payload with an expression, which is not supported",
						"Take the whole payload, and read the needed parts from it");
			}
			Header header = parameter.getParameterAnnotation(Header.class);
			if (header != null && header.name().isEmpty() && parameter.getParameterName() == null) {
				faults.method("has a @Header without a name on parameter " + parameter.getParameterIndex(),
						"Name the header, or compile with -parameters");
			}
		}
	}

	private static boolean isSuspending(ListenerMethod method) {
		Class<?>[] types = method.getMethod().getParameterTypes();
		return types.length > 0 && types[types.length - 1].getName().equals("kotlin.coroutines.Continuation");
	}

	/**
	 * Whether the bean's proxy runs the method on another thread. Without such a proxy,
	 * {@code @Async} has no effect.
	 */
	private static boolean isAsync(ListenerMethod method) {
		return method.getBean() instanceof Advised proxy && Arrays.stream(proxy.getAdvisors())
			.anyMatch((advisor) -> advisor instanceof AsyncAnnotationAdvisor async
					&& async.getPointcut().getMethodMatcher().matches(method.getMethod(), method.getTargetClass()));
	}

	void checkBatches(ListenerMethod method, Attributes attributes, Faults.OfMethod faults) {
		if (!attributes.batching().enabled()) {
			checkNoListOfMessages(method.getMethodParameters(),
					attributes.expired() ? "Take one message" : "Set batch, or take one message", faults);
			return;
		}
		checkBatchParameters(method.getMethodParameters(), faults);
		if (attributes.running().interruptible()) {
			faults.attribute("interruptible", "true", "is not supported with batches",
					"Leave it out, and check isCancelled() of each message");
		}
		checkBatchBeans(attributes.beans(), faults);
		BatchSettings batches = attributes.batching().settings();
		if (batches != null) {
			checkBatchSizes(attributes, batches, faults);
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

	private void checkBatchParameters(MethodParameter[] parameters, Faults.OfMethod faults) {
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

	private static void checkBatchBeans(Attributes.Beans beans, Faults.OfMethod faults) {
		String errorHandler = beans.errorHandler();
		if (errorHandler != null) {
			faults.attribute("errorHandler", errorHandler, SINGLE,
					"Leave it out, and throw a BatchFailedException that names the failed messages");
		}
		beans.interceptors()
			.forEach((interceptor) -> faults.attribute("interceptors", interceptor, SINGLE,
					"Leave it out, and intercept the method of the listener instead, for example with an aspect"));
	}

	private void checkBatchSizes(Attributes attributes, BatchSettings batches, Faults.OfMethod faults) {
		Integer concurrency = attributes.running().concurrency();
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
			faults.attribute("batchWait", DurationText.of(batches.patience()),
					"is not below a third of the queue's visibility-timeout, "
							+ DurationText.of(settings.visibilityTimeout()),
					"Use a shorter batchWait, or a longer visibility-timeout for the queue");
		}
	}

	/**
	 * Checks only the limits for all groups. A limit for a single group may be less than
	 * the batch: this group gets smaller batches on purpose.
	 */
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
