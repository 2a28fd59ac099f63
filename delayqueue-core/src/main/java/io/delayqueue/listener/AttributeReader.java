package io.delayqueue.listener;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedListenerErrorHandler;
import io.delayqueue.DelayedListenerInterceptor;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.ScheduleRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;

/**
 * Resolves and checks the attributes of annotations. Only blanks around a value are
 * corrected silently.
 */
final class AttributeReader {

	private static final int MOST_CONCURRENCY = 10_000;

	private final ConfigurableBeanFactory beanFactory;

	private final EmbeddedValueResolver values;

	AttributeReader(ConfigurableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		this.values = new EmbeddedValueResolver(beanFactory);
	}

	Attributes read(DelayedListener annotation, Faults.OfMethod faults) {
		String queue = queue(resolve("queue", annotation.queue(), faults));
		if (annotation.expired()) {
			rejectContainerAttributes(annotation, faults);
			return new Attributes(queue, queue, null, Batching.NONE, true, beans(annotation, faults), true);
		}
		return new Attributes(queue, id(resolve("id", annotation.id(), faults), queue),
				concurrency(resolve("concurrency", annotation.concurrency(), faults)),
				Batching.read(resolve("batch", annotation.batch(), faults),
						resolve("batchWait", annotation.batchWait(), faults), annotation.groupBy(), faults),
				autoStartup(resolve("autoStartup", annotation.autoStartup(), faults)), beans(annotation, faults),
				false);
	}

	private static void rejectContainerAttributes(DelayedListener annotation, Faults.OfMethod faults) {
		Map<String, String> written = new LinkedHashMap<>();
		written.put("id", annotation.id());
		written.put("concurrency", annotation.concurrency());
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
			String resolved = this.values.resolveStringValue(written);
			return new Attribute(name, written, (resolved != null) ? resolved.trim() : "", faults);
		}
		catch (RuntimeException ex) {
			faults.attribute(name, written, "cannot be resolved: " + ex.getMessage(),
					"Define the property, give it a default as in ${name:default}, or correct the expression");
			return null;
		}
	}

	private static @Nullable String queue(@Nullable Attribute queue) {
		if (queue == null) {
			return null;
		}
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
		return id.value().isEmpty() ? queue : id.value();
	}

	private static @Nullable Integer concurrency(@Nullable Attribute concurrency) {
		if (concurrency == null || concurrency.value().isEmpty()) {
			return null;
		}
		try {
			int number = Integer.parseInt(concurrency.value());
			if (number >= 1 && number <= MOST_CONCURRENCY) {
				return number;
			}
			concurrency.reject("is out of bounds", "Use a number from 1 to 10,000");
		}
		catch (NumberFormatException ex) {
			concurrency.reject("is not a number", "Use a number from 1 to 10,000");
		}
		return null;
	}

	private static boolean autoStartup(@Nullable Attribute autoStartup) {
		if (autoStartup == null || autoStartup.value().isEmpty()) {
			return true;
		}
		if (!autoStartup.value().equalsIgnoreCase("true") && !autoStartup.value().equalsIgnoreCase("false")) {
			autoStartup.reject("is not a boolean", "Use true or false");
		}
		return Boolean.parseBoolean(autoStartup.value());
	}

	private BeanNames beans(DelayedListener annotation, Faults.OfMethod faults) {
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
		return new BeanNames(executor, bean(resolve("errorHandler", annotation.errorHandler(), faults),
				DelayedListenerErrorHandler.class, "leave the attribute out"), interceptors);
	}

	private @Nullable String bean(@Nullable Attribute attribute, Class<?> type, String otherwise) {
		if (attribute == null || attribute.value().isEmpty()) {
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

}
