package io.delayqueue.listener;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Type;
import java.util.Arrays;

import io.delayqueue.DelayedMessage;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;

/**
 * Determines the payload type of a parameter, including its type arguments. A nested
 * parameter stands for the elements of a list, and has their payload type. Type variables
 * of a generic superclass are resolved against the bean's class. A wildcard or an
 * unresolved type variable is replaced by its bound.
 */
final class PayloadTypes {

	private PayloadTypes() {
	}

	static Type of(MethodParameter parameter) {
		ResolvableType declared = ResolvableType.forMethodParameter(parameter);
		Class<?> type = classOf(parameter);
		if (type == DelayedMessage.class) {
			return resolved(declared.as(DelayedMessage.class).getGeneric());
		}
		if (Message.class.isAssignableFrom(type)) {
			return resolved(declared.as(Message.class).getGeneric());
		}
		return resolved(declared);
	}

	/**
	 * The class of a parameter; for a nested parameter, the class of the elements of the
	 * list.
	 */
	static Class<?> classOf(MethodParameter parameter) {
		return (parameter.getNestingLevel() == 1) ? parameter.getParameterType()
				: ResolvableType.forMethodParameter(parameter).toClass();
	}

	private static Type resolved(ResolvableType type) {
		if (type.equals(ResolvableType.NONE)) {
			return Object.class;
		}
		if (type.getType() instanceof Class<?> plain) {
			return plain;
		}
		if (type.isArray()) {
			ResolvableType component = type.getComponentType();
			return component.hasGenerics() ? new ArrayOf(resolved(component)) : type.toClass();
		}
		if (type.hasGenerics()) {
			ResolvableType[] generics = Arrays.stream(type.getGenerics())
				.map((generic) -> ResolvableType.forType(resolved(generic)))
				.toArray(ResolvableType[]::new);
			return ResolvableType.forClassWithGenerics(type.toClass(), generics).getType();
		}
		return type.toClass();
	}

	/** An array type whose component type has type arguments. */
	private record ArrayOf(Type getGenericComponentType) implements GenericArrayType {
	}

}
