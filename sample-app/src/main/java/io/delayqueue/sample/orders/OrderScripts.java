package io.delayqueue.sample.orders;

import java.util.List;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.script.RedisScript;

/** The scripts beside this package's classes, by the type of their answers. */
final class OrderScripts {

	private OrderScripts() {
	}

	static RedisScript<Long> number(String name) {
		return RedisScript.of(resource(name), Long.class);
	}

	@SuppressWarnings("unchecked")
	static RedisScript<List<String>> fields(String name) {
		return (RedisScript<List<String>>) (RedisScript<?>) RedisScript.of(resource(name), List.class);
	}

	private static ClassPathResource resource(String name) {
		return new ClassPathResource(name + ".lua", OrderScripts.class);
	}

}
