package io.delayqueue.schedule;

import java.lang.reflect.Type;

import io.delayqueue.PayloadConverter;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes payloads as JSON with the application's mapper. The converter neither writes nor
 * reads type names.
 */
public final class JacksonPayloadConverter implements PayloadConverter {

	private final JsonMapper mapper;

	/**
	 * Creates the converter.
	 * @param mapper the mapper, which the converter does not reconfigure
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
