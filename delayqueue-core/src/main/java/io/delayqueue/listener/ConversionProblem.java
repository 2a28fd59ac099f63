package io.delayqueue.listener;

import java.util.Map;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;

/**
 * Describes why a payload could not be converted, without its content: the messages of
 * converters quote values, which may be confidential.
 */
final class ConversionProblem {

	private ConversionProblem() {
	}

	/** The class of the exception and, for an exception of Jackson, the location. */
	static String describe(Throwable failure) {
		JacksonException jackson = jackson(failure);
		String what = failure.getClass().getName();
		if (jackson == null) {
			return what;
		}
		if (jackson != failure) {
			what += " because of " + jackson.getClass().getName();
		}
		String path = jackson.getPath().stream().map(ConversionProblem::step).collect(Collectors.joining("->"));
		TokenStreamLocation location = jackson.getLocation();
		boolean known = location != null && location.getLineNr() > 0;
		return what + (path.isEmpty() ? "" : " at " + path)
				+ (known ? " (line " + location.getLineNr() + ", column " + location.getColumnNr() + ")" : "");
	}

	private static @Nullable JacksonException jackson(@Nullable Throwable failure) {
		if (failure == null || failure instanceof JacksonException) {
			return (JacksonException) failure;
		}
		return (failure.getCause() != failure) ? jackson(failure.getCause()) : null;
	}

	/** The keys of a map are hidden: they are data and not declared names. */
	private static String step(JacksonException.Reference step) {
		Object from = step.from();
		Class<?> type = (from instanceof Class<?> itself) ? itself : (from != null) ? from.getClass() : Object.class;
		String name = step.getPropertyName();
		String element = (name == null) ? String.valueOf(step.getIndex())
				: Map.class.isAssignableFrom(type) ? "*" : "\"" + name + "\"";
		return type.getSimpleName() + "[" + element + "]";
	}

}
