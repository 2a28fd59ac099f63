package io.delayqueue.autoconfigure;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.delayqueue.autoconfigure.InvalidConfigurationException.Fault;
import io.delayqueue.queue.SimilarNames;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.unit.DataSize;

/**
 * Collects the binding errors of properties below {@code delayqueue}: a value of the
 * wrong type, an unknown name, or a name from which Spring drops characters. After an
 * error the binding continues, so that one exception reports all binding errors and all
 * values that are out of bounds. Spring binds the default value in place of an invalid
 * value. This class does not affect the binding of properties outside {@code delayqueue}.
 */
final class BindFaults implements ConfigurationPropertiesBindHandlerAdvisor, AopInfrastructureBean {

	private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("delayqueue");

	/** The outbox module binds and checks its own properties. */
	private static final ConfigurationPropertyName OUTBOX = ConfigurationPropertyName.of("delayqueue.outbox");

	private static final boolean HAS_OUTBOX = ClassUtils.isPresent("io.delayqueue.outbox.DelayQueueOutbox",
			BindFaults.class.getClassLoader());

	private static final Pattern BRACKETS = Pattern.compile("\\[[^]]*]");

	/**
	 * Characters that Spring drops from the name of a property unless they are in
	 * brackets.
	 */
	private static final Pattern DROPPED = Pattern.compile("[^A-Za-z0-9._-]");

	/**
	 * Maps the type of a property to the rule that its value must follow. If the property
	 * is a list, the rule applies to each element.
	 */
	private static final Map<Class<?>, String> RULES = Map.of(Duration.class,
			"must be a time, such as 500ms, 5s, 2m, 1h or 7d", DataSize.class, "must be a size, such as 64KB or 1MB",
			Integer.class, "must be a whole number", Double.class, "must be a number", Boolean.class,
			"must be true or false", Class.class, "must name a class that exists");

	/** Shorter names are similar to too many others. */
	private static final int SHORTEST_SIMILAR = 4;

	private final Map<ConfigurationPropertyName, Fault> faults = new TreeMap<>();

	/** The names for which Spring has looked. */
	private final Set<ConfigurationPropertyName> known = new HashSet<>();

	@Override
	public BindHandler apply(BindHandler next) {
		return new Collecting(next);
	}

	/** Returns all binding errors, ordered by property name. */
	Collection<Fault> all() {
		return this.faults.values();
	}

	/**
	 * Returns whether Spring dropped characters from the name of a property, so that the
	 * property was bound under a different name. Adds a fault for such a property.
	 */
	private boolean hasDroppedCharacters(ConfigurationProperty property) {
		if (!(property.getOrigin() instanceof PropertySourceOrigin origin)
				|| !DROPPED.matcher(BRACKETS.matcher(origin.getPropertyName()).replaceAll("")).find()) {
			return false;
		}
		String written = origin.getPropertyName();
		this.faults.put(property.getName(),
				new Fault(written, String.valueOf(property.getValue()),
						"characters other than letters, digits, - and _ are dropped from its name",
						"Write the part of " + written + " that contains them in brackets, such as [game:1]"));
		return true;
	}

	private static boolean isChecked(ConfigurationPropertyName name) {
		return PREFIX.isAncestorOf(name) && !(HAS_OUTBOX && (OUTBOX.equals(name) || OUTBOX.isAncestorOf(name)));
	}

	private void unknown(ConfigurationProperty property) {
		if (!isChecked(property.getName()) || hasDroppedCharacters(property)) {
			return;
		}
		this.faults.computeIfAbsent(property.getName(), (name) -> unknown(name, String.valueOf(property.getValue())));
	}

	private Fault unknown(ConfigurationPropertyName name, String value) {
		return new Fault(name.toString(), value, "there is no such property",
				"Correct the name " + name + similar(name).map((meant) -> " (is " + meant + " meant?)").orElse("")
						+ ", or remove it; write a queue name or group key that contains a dot in brackets");
	}

	/**
	 * Returns the property whose name is most similar to an unknown name, up to its first
	 * part that is unknown.
	 */
	private Optional<ConfigurationPropertyName> similar(ConfigurationPropertyName name) {
		int size = PREFIX.getNumberOfElements() + 1;
		while (size < name.getNumberOfElements() && this.known.contains(name.chop(size))) {
			size++;
		}
		ConfigurationPropertyName parent = name.chop(size - 1);
		String part = name.chop(size).getLastElement(Form.DASHED);
		List<String> siblings = this.known.stream()
			.filter(parent::isParentOf)
			.map((one) -> one.getLastElement(Form.DASHED))
			.toList();
		return (part.length() >= SHORTEST_SIMILAR)
				? SimilarNames.of(part, siblings).stream().findFirst().map(parent::append) : Optional.empty();
	}

	private void wrong(ConfigurationProperty property, ResolvableType type, Exception error) {
		if (hasDroppedCharacters(property)) {
			return;
		}
		String rule = rule((type.hasGenerics() ? type.getGeneric() : type).resolve(Object.class));
		String name = property.getName().toString();
		String value = String.valueOf(property.getValue());
		String fix = "Correct " + name + " (" + rule + ")";
		// Otherwise the placeholder has a value, which is wrong
		boolean isUnresolved = String.valueOf(NestedExceptionUtils.getMostSpecificCause(error).getMessage())
			.contains("${");
		this.faults.put(property.getName(),
				isUnresolved ? Fault.of(name, value, rule, fix) : new Fault(name, value, rule, fix));
	}

	private static String rule(Class<?> type) {
		if (type.isEnum()) {
			return "must be one of " + choices(type);
		}
		if (type.isRecord()) {
			return "must have no value of its own, only properties below it";
		}
		return RULES.getOrDefault(ClassUtils.resolvePrimitiveIfNecessary(type),
				"cannot be read as " + type.getSimpleName());
	}

	private static String choices(Class<?> type) {
		return Arrays.stream(type.getEnumConstants()).map(PropertyText::of).collect(Collectors.joining(", "));
	}

	private final class Collecting extends AbstractBindHandler {

		private @Nullable Object bound;

		Collecting(BindHandler next) {
			super(next);
		}

		@Override
		public <T> @Nullable Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target,
				BindContext context) {
			if (PREFIX.isAncestorOf(name)) {
				BindFaults.this.known.add(name);
			}
			return super.onStart(name, target, context);
		}

		@Override
		public @Nullable Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
				Object result) {
			@Nullable Object success = super.onSuccess(name, target, context, result);
			ConfigurationProperty property = context.getConfigurationProperty();
			if (isChecked(name) && property != null && property.getName().equals(name)) {
				hasDroppedCharacters(property);
			}
			keep(name, success);
			return success;
		}

		/**
		 * Spring calls this method instead of {@code onSuccess} if no property sets the
		 * target.
		 */
		@Override
		public Object onCreate(ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
			Object created = super.onCreate(name, target, context, result);
			keep(name, created);
			return created;
		}

		private void keep(ConfigurationPropertyName name, @Nullable Object result) {
			if (name.equals(PREFIX)) {
				this.bound = result;
			}
		}

		@Override
		public @Nullable Object onFailure(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
				Exception error) throws Exception {
			if (name.equals(PREFIX) && this.bound != null
					&& error instanceof UnboundConfigurationPropertiesException unbound) {
				unbound.getUnboundProperties().forEach(BindFaults.this::unknown);
				return this.bound;
			}
			ConfigurationProperty property = property(name, context);
			if (isChecked(name) && property != null && property.getName().equals(name)) {
				wrong(property, target.getType(), error);
				return null;
			}
			return super.onFailure(name, target, context, error);
		}

		/**
		 * Finds a property in the property sources if the binding context no longer
		 * contains the property, as during the binding of a record.
		 */
		private static @Nullable ConfigurationProperty property(ConfigurationPropertyName name, BindContext context) {
			ConfigurationProperty property = context.getConfigurationProperty();
			Iterator<ConfigurationPropertySource> sources = context.getSources().iterator();
			while (property == null && sources.hasNext()) {
				property = sources.next().getConfigurationProperty(name);
			}
			return property;
		}

	}

}
