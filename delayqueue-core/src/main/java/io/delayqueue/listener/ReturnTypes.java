package io.delayqueue.listener;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Classifies the return types of listener methods: awaited, not awaited, or ignored.
 */
final class ReturnTypes {

	/**
	 * The names of types that are not awaited. The types are given by name, because not
	 * every application has them on its class path.
	 */
	private static final Set<String> DEFERRED = Set.of("org.reactivestreams.Publisher",
			"java.util.concurrent.Flow$Publisher", "kotlinx.coroutines.flow.Flow", "kotlinx.coroutines.Deferred");

	private static final Set<String> NOTHING = Set.of("void", "java.lang.Void", "kotlin.Unit");

	private ReturnTypes() {
	}

	/**
	 * Whether the type represents an asynchronous result that consumers do not await, for
	 * example a reactive type.
	 */
	static boolean isDeferred(Class<?> type) {
		if (isAwaited(type) || type.isPrimitive()) {
			return false;
		}
		return Future.class.isAssignableFrom(type) || isNamed(type)
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
	}

	private static boolean isNamed(Class<?> type) {
		Class<?> parent = type.getSuperclass();
		return DEFERRED.contains(type.getName()) || (parent != null && isNamed(parent))
				|| Arrays.stream(type.getInterfaces()).anyMatch(ReturnTypes::isNamed);
	}

	/** Whether the consumer awaits the outcome. */
	static boolean isAwaited(Class<?> type) {
		return CompletionStage.class.isAssignableFrom(type);
	}

	/** Whether the type represents a value that is ignored. */
	static boolean isIgnored(Class<?> type) {
		return !isAwaited(type) && !NOTHING.contains(type.getName());
	}

}
