package io.delayqueue.schedule;

import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.PayloadConverter;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.ClassUtil;

import org.springframework.util.ClassUtils;

/**
 * Converts payloads to JSON and back with a copy of the application's {@code JsonMapper}.
 * The JSON contains no name of a Java type, except as type id: where the application's
 * annotations or mapper say so, and for values of sealed types.
 *
 * <p>
 * {@code write} refuses a payload that could not be read again. It decides this for each
 * class once, by reading the first payload of the class, and for generic types and
 * collections by the classes of their values. A class of the JDK is not checked.
 */
public class JacksonPayloadConverter implements PayloadConverter {

	private static final byte[] NULL = { 'n', 'u', 'l', 'l' };

	private final JsonMapper mapper;

	/** The types of which a payload has been read again. */
	private final Set<Type> readable = ConcurrentHashMap.newKeySet();

	/**
	 * Creates a converter for JSON.
	 * @param mapper the mapper, whose configuration the converter does not change
	 */
	public JacksonPayloadConverter(JsonMapper mapper) {
		this.mapper = mapper.rebuild().addModule(new TypeIds(mapper)).build();
	}

	@Override
	public byte[] write(Object payload) {
		byte[] bytes = this.mapper.writer().withAttribute(TypeIds.UNTYPED, true).writeValueAsBytes(payload);
		check(payload, bytes);
		return bytes;
	}

	@Override
	public byte[] write(Object payload, Type type) {
		byte[] bytes = this.mapper.writerFor(this.mapper.constructType(type)).writeValueAsBytes(payload);
		checkReadable(bytes, type);
		return bytes;
	}

	@Override
	public Object read(byte[] bytes, Type type) {
		return this.mapper.readValue(bytes, this.mapper.constructType(type));
	}

	/**
	 * Checks that a value can be read again, or the values in it if it is a collection.
	 * @param bytes the value as JSON, {@code null} if it is not written yet
	 */
	private void check(@Nullable Object value, byte @Nullable [] bytes) {
		if (value instanceof Collection<?> values) {
			values.forEach((element) -> check(element, null));
		}
		else if (value instanceof Map<?, ?> map) {
			map.values().forEach((element) -> check(element, null));
		}
		else if (value instanceof Object[] array) {
			Arrays.stream(array).forEach((element) -> check(element, null));
		}
		else if (value != null) {
			Class<?> type = ClassUtils.getUserClass(value);
			// The class of an enum constant, or of an object that is initialized by a
			// block
			while (type.isAnonymousClass()) {
				type = type.getSuperclass();
			}
			if (!ClassUtil.isJDKClass(type) && !this.readable.contains(type)) {
				checkReadable((bytes != null) ? bytes : this.mapper.writeValueAsBytes(value), type);
			}
			else if (bytes != null) {
				checkNotNull(bytes);
			}
		}
	}

	private void checkReadable(byte[] bytes, Type type) {
		checkNotNull(bytes);
		if (!this.readable.contains(type)) {
			try {
				read(bytes, type);
			}
			catch (RuntimeException unreadable) {
				// The message of the exception may contain values
				throw new IllegalArgumentException("it could not be read again as " + type.getTypeName() + " ("
						+ unreadable.getClass().getSimpleName() + ")", unreadable);
			}
			this.readable.add(type);
		}
	}

	private static void checkNotNull(byte[] bytes) {
		if (Arrays.equals(bytes, NULL)) {
			throw new IllegalArgumentException("it is written as null, which no listener can read");
		}
	}

}
