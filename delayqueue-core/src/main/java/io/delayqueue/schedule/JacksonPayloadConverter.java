package io.delayqueue.schedule;

import java.lang.reflect.Type;

import io.delayqueue.PayloadConverter;
import tools.jackson.databind.json.JsonMapper;

/**
 * Converts payloads to JSON and back with the application's {@code JsonMapper}. The
 * converter neither writes nor reads names of Java types, unless the mapper is configured
 * to do so.
 */
public class JacksonPayloadConverter implements PayloadConverter {

	private final JsonMapper mapper;

	/**
	 * Creates a converter for JSON.
	 * @param mapper the mapper, whose configuration the converter does not change
	 */
	public JacksonPayloadConverter(JsonMapper mapper) {
		this.mapper = mapper;
	}

	@Override
	public byte[] write(Object payload) {
		return this.mapper.writeValueAsBytes(payload);
	}

	@Override
	public Object read(byte[] bytes, Type type) {
		return this.mapper.readValue(bytes, this.mapper.constructType(type));
	}

}
