package io.delayqueue.listener;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectFactory;
import org.springframework.beans.factory.config.BeanExpressionContext;
import org.springframework.beans.factory.config.BeanExpressionResolver;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.Scope;

/**
 * Resolves placeholders and SpEL in text attributes. An expression may use the bean of
 * the annotated method, by the name {@code __listener}.
 */
final class ListenerValues {

	private final ConfigurableBeanFactory beanFactory;

	private final Scope scope;

	ListenerValues(ConfigurableBeanFactory beanFactory, Object listener) {
		this.beanFactory = beanFactory;
		this.scope = new OfListener(listener);
	}

	/** Resolves an attribute, and removes blanks around it. */
	String text(String written) {
		return trimmed(value(written));
	}

	/**
	 * Resolves the elements of an attribute. An element may also resolve to a
	 * comma-separated list, an array or a collection.
	 */
	List<String> texts(String written) {
		Object value = value(written);
		Stream<?> elements = (value instanceof Collection<?> collection) ? collection.stream()
				: (value instanceof Object[] array) ? Arrays.stream(array)
						: Arrays.stream(trimmed(value).split(",", -1));
		return elements.map(ListenerValues::trimmed).toList();
	}

	private static String trimmed(@Nullable Object value) {
		return (value != null) ? value.toString().trim() : "";
	}

	private @Nullable Object value(String written) {
		String embedded = this.beanFactory.resolveEmbeddedValue(written);
		BeanExpressionResolver expressions = this.beanFactory.getBeanExpressionResolver();
		return (expressions != null)
				? expressions.evaluate(embedded, new BeanExpressionContext(this.beanFactory, this.scope)) : embedded;
	}

	/** A scope in which expressions find the bean of the method. */
	private record OfListener(Object listener) implements Scope {

		@Override
		public @Nullable Object resolveContextualObject(String key) {
			return key.equals("__listener") ? this.listener : null;
		}

		@Override
		public Object get(String name, ObjectFactory<?> factory) {
			throw new UnsupportedOperationException(name);
		}

		@Override
		public @Nullable Object remove(String name) {
			return null;
		}

		@Override
		public void registerDestructionCallback(String name, Runnable callback) {
		}

		@Override
		public @Nullable String getConversationId() {
			return null;
		}

	}

}
