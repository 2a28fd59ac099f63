package io.delayqueue.store;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The reply of a script: a status, then numbers and bytes. A method throws an exception
 * if the reply has no value at the index, or a value of another type than the method
 * returns.
 */
final class Reply {

	private final StoreScript script;

	private final List<?> values;

	Reply(StoreScript script, List<?> values) {
		this.script = script;
		this.values = values;
		raw(0);
	}

	/** Whether the reply begins with a given status. */
	boolean is(String status) {
		return text(0).equals(status);
	}

	int size() {
		return this.values.size();
	}

	long number(int index) {
		if (at(index) instanceof Long number) {
			return number;
		}
		throw unexpected(index);
	}

	byte[] raw(int index) {
		if (at(index) instanceof byte[] bytes) {
			return bytes;
		}
		throw unexpected(index);
	}

	/**
	 * Returns the values from one index of the reply up to another, as arguments of a
	 * further call.
	 */
	List<?> rest(int from, int to) {
		return this.values.subList(from, to);
	}

	/**
	 * Returns the bytes at an index of the reply, {@code null} if the value there is the
	 * number 0.
	 */
	byte @Nullable [] rawIfAny(int index) {
		return Long.valueOf(0).equals(at(index)) ? null : raw(index);
	}

	String text(int index) {
		return text(raw(index));
	}

	StoredId id(int index) {
		return StoredId.from(raw(index));
	}

	/**
	 * Returns the value of an enum whose name, in lower case with hyphens, is at an index
	 * of the reply.
	 */
	<E extends Enum<E>> E word(Class<E> words, int index) {
		String word = text(index);
		for (E known : words.getEnumConstants()) {
			if (known.name().replace('_', '-').equalsIgnoreCase(word)) {
				return known;
			}
		}
		throw unexpected(index);
	}

	IllegalStateException unexpected(int index) {
		return new IllegalStateException(this.script + " answered " + this.values.size() + " values, the one at "
				+ index + " is not what the script promises, which indicates a bug");
	}

	private Object at(int index) {
		if (index >= this.values.size()) {
			throw unexpected(index);
		}
		return this.values.get(index);
	}

	static String text(byte[] bytes) {
		return new String(bytes, StandardCharsets.UTF_8);
	}

	static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	static byte[] bytes(long number) {
		return bytes(Long.toString(number));
	}

}
