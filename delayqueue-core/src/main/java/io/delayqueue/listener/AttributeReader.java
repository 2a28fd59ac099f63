package io.delayqueue.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedListenerErrorHandler;
import io.delayqueue.DelayedListenerInterceptor;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.delivery.BatchSettings;
import io.delayqueue.listener.Attributes.Batching;
import io.delayqueue.listener.Attributes.Beans;
import io.delayqueue.listener.Attributes.Running;
import io.delayqueue.queue.Bounds;
import io.delayqueue.queue.RetrySettings;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Resolves and checks the attributes of the annotations of a bean. The reader removes
 * blanks around a value, and reports every other fault.
 */
final class AttributeReader {

	private static final Bounds<Integer> CONCURRENCY = new Bounds<>(1, 10_000);

	private final ConfigurableBeanFactory beanFactory;

	private final ListenerValues values;

	AttributeReader(ConfigurableBeanFactory beanFactory, Object listener) {
		this.beanFactory = beanFactory;
		this.values = new ListenerValues(beanFactory, listener);
	}

	/** Reads the attributes of an annotation, for each of its queues. */
	List<Attributes> read(DelayedListener annotation, Faults.OfMethod faults) {
		List<Attribute> named = queues(annotation, faults);
		List<Attributes> read = new ArrayList<>();
		if (named.isEmpty()) {
			read.add(read(annotation, null, faults));
		}
		named.forEach((one) -> read.add(read(annotation, queue(one), faults)));
		if (named.size() > 1 && !annotation.id().isEmpty()) {
			faults.attribute("id", annotation.id(), "cannot be the id of several containers, one for each queue",
					"Leave it out: the ids are then the names of the queues");
		}
		return read;
	}

	private Attributes read(DelayedListener annotation, @Nullable String queue, Faults.OfMethod faults) {
		if (annotation.expired()) {
			rejectContainerAttributes(annotation, faults);
			return new Attributes(queue, queue, Running.NONE, Batching.NONE, true, beans(annotation, faults), true);
		}
		return new Attributes(queue, id(resolve("id", annotation.id(), faults), queue), running(annotation, faults),
				batching(annotation, faults), autoStartup(resolve("autoStartup", annotation.autoStartup(), faults)),
				beans(annotation, faults), false);
	}

	private List<Attribute> queues(DelayedListener annotation, Faults.OfMethod faults) {
		List<Attribute> queues = new ArrayList<>();
		for (String written : annotation.queue()) {
			try {
				this.values.texts(written).forEach((name) -> queues.add(new Attribute("queue", written, name, faults)));
			}
			catch (RuntimeException ex) {
				unresolved("queue", written, ex, faults);
			}
		}
		return queues;
	}

	private static void unresolved(String name, String written, RuntimeException failure, Faults.OfMethod faults) {
		faults.attribute(name, written, "cannot be resolved: " + failure.getMessage(),
				"Define the property, give it a default as in ${name:default}, or correct the expression");
	}

	private static void rejectContainerAttributes(DelayedListener annotation, Faults.OfMethod faults) {
		Map<String, String> written = new LinkedHashMap<>();
		written.put("id", annotation.id());
		written.put("concurrency", annotation.concurrency());
		written.put("timeout", annotation.timeout());
		written.put("interruptible", annotation.interruptible() ? "true" : "");
		written.put("batch", annotation.batch());
		written.put("batchWait", annotation.batchWait());
		written.put("groupBy", annotation.groupBy() ? "true" : "");
		written.put("autoStartup", annotation.autoStartup());
		written.put("executor", annotation.executor());
		written.forEach((name, value) -> {
			if (!value.isEmpty()) {
				faults.attribute(name, value, "is not supported for a method with expired = true",
						"Leave it out: the method takes one message at a time, in the container of the queue's other"
								+ " method");
			}
		});
	}

	private @Nullable Attribute resolve(String name, String written, Faults.OfMethod faults) {
		try {
			return new Attribute(name, written, this.values.text(written), faults);
		}
		catch (RuntimeException ex) {
			unresolved(name, written, ex, faults);
			return null;
		}
	}

	private static @Nullable String queue(Attribute queue) {
		try {
			return ScheduleRequest.to(queue.value()).queue();
		}
		catch (InvalidMessageException ex) {
			queue.reject("is not a queue name",
					"Use 1 to 100 characters of [A-Za-z0-9._-], the first one a letter or a digit");
			return null;
		}
	}

	private static @Nullable String id(@Nullable Attribute id, @Nullable String queue) {
		if (id == null) {
			return null;
		}
		return id.isEmpty() ? queue : id.value();
	}

	private static @Nullable Integer number(@Nullable Attribute attribute, Bounds<Integer> bounds, String fix) {
		if (attribute == null || attribute.isEmpty()) {
			return null;
		}
		try {
			int number = Integer.parseInt(attribute.value());
			if (bounds.contains(number)) {
				return number;
			}
			attribute.reject("is out of bounds", fix);
		}
		catch (NumberFormatException ex) {
			attribute.reject("is not a number", fix);
		}
		return null;
	}

	private Running running(DelayedListener annotation, Faults.OfMethod faults) {
		return new Running(
				number(resolve("concurrency", annotation.concurrency(), faults), CONCURRENCY,
						"Use a number from 1 to 10,000"),
				time(resolve("timeout", annotation.timeout(), faults), RetrySettings.TIMEOUT,
						"Use a duration from 1 second to 365 days, for example 30s"),
				annotation.interruptible());
	}

	private Batching batching(DelayedListener annotation, Faults.OfMethod faults) {
		Attribute batch = resolve("batch", annotation.batch(), faults);
		Attribute wait = resolve("batchWait", annotation.batchWait(), faults);
		if (batch != null && batch.isEmpty()) {
			if (wait != null && !wait.isEmpty()) {
				wait.reject("has no effect without batch", "Set batch too, or leave it out");
			}
			if (annotation.groupBy()) {
				faults.attribute("groupBy", "true", "has no effect without batch", "Set batch too, or leave it out");
			}
			return Batching.NONE;
		}
		Integer most = number(batch, BatchSettings.MOST, "Use a number from 1 to 1,000");
		Duration time = (wait != null && wait.isEmpty()) ? Duration.ZERO
				: time(wait, BatchSettings.PATIENCE, "Use a duration from 0 to 1 minute, for example 200ms");
		return new Batching(true,
				(most != null && time != null) ? new BatchSettings(most, time, annotation.groupBy()) : null);
	}

	private static @Nullable Duration time(@Nullable Attribute attribute, Bounds<Duration> bounds, String fix) {
		if (attribute == null || attribute.isEmpty()) {
			return null;
		}
		try {
			Duration time = DurationFormatterUtils.detectAndParse(attribute.value());
			if (bounds.contains(time)) {
				return time;
			}
			attribute.reject("is out of bounds", fix);
		}
		catch (RuntimeException ex) {
			attribute.reject("is not a duration", fix);
		}
		return null;
	}

	private static boolean autoStartup(@Nullable Attribute autoStartup) {
		if (autoStartup == null || autoStartup.isEmpty()) {
			return true;
		}
		if (!autoStartup.value().equalsIgnoreCase("true") && !autoStartup.value().equalsIgnoreCase("false")) {
			autoStartup.reject("is not a boolean", "Use true or false");
		}
		return Boolean.parseBoolean(autoStartup.value());
	}

	private Beans beans(DelayedListener annotation, Faults.OfMethod faults) {
		List<String> interceptors = new ArrayList<>();
		for (String written : annotation.interceptors()) {
			Attribute resolved = resolve("interceptors", written, faults);
			for (Attribute named : (resolved != null) ? resolved.split() : List.<Attribute>of()) {
				String bean = bean(named, DelayedListenerInterceptor.class, "leave it out");
				if (bean != null) {
					interceptors.add(bean);
				}
			}
		}
		String executor = annotation.expired() ? null : bean(resolve("executor", annotation.executor(), faults),
				Executor.class, "leave the attribute out to use the container's own threads");
		return new Beans(executor, bean(resolve("errorHandler", annotation.errorHandler(), faults),
				DelayedListenerErrorHandler.class, "leave the attribute out"), interceptors);
	}

	private @Nullable String bean(@Nullable Attribute attribute, Class<?> type, String otherwise) {
		if (attribute == null || attribute.isEmpty()) {
			return null;
		}
		String bean = attribute.value();
		if (!this.beanFactory.containsBean(bean)) {
			attribute.reject("is not the name of a bean", "Define a bean of that name, or " + otherwise);
			return null;
		}
		if (!this.beanFactory.isTypeMatch(bean, type)) {
			attribute.reject("is not of type " + type.getSimpleName() + " but " + this.beanFactory.getType(bean),
					"Name a bean that implements " + type.getName());
			return null;
		}
		return bean;
	}

	/**
	 * An attribute: its value as written, and its value after it was resolved and
	 * trimmed.
	 */
	private record Attribute(String name, String written, String value, Faults.OfMethod faults) {

		boolean isEmpty() {
			return this.value.isEmpty();
		}

		/** The elements of a comma-separated list, each as a separate attribute. */
		List<Attribute> split() {
			return Stream.of(this.value.split(","))
				.map((element) -> new Attribute(this.name, this.written, element.trim(), this.faults))
				.toList();
		}

		void reject(String problem, String fix) {
			this.faults.attribute(this.name, this.value,
					problem + (this.written.equals(this.value) ? "" : " (written as '" + this.written + "')"), fix);
		}

	}

}
