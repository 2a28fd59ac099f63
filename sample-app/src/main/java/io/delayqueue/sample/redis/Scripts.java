package io.delayqueue.sample.redis;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.script.RedisScript;

/** Loads the Lua scripts of a feature, by the type of their results. */
public final class Scripts {

	private final Class<?> owner;

	private Scripts(Class<?> owner) {
		this.owner = owner;
	}

	/**
	 * Creates a loader for the scripts of a feature.
	 * @param owner a class of the package that contains them
	 * @return the loader
	 */
	public static Scripts of(Class<?> owner) {
		return new Scripts(owner);
	}

	/**
	 * A script that returns a number.
	 * @param name its name, without {@code .lua}
	 * @return the script
	 */
	public RedisScript<Long> number(String name) {
		return RedisScript.of(resource(name), Long.class);
	}

	/**
	 * A script that returns a text.
	 * @param name its name, without {@code .lua}
	 * @return the script
	 */
	public RedisScript<String> text(String name) {
		return RedisScript.of(resource(name), String.class);
	}

	/**
	 * A script that returns a list of texts.
	 * @param name its name, without {@code .lua}
	 * @return the script
	 */
	@SuppressWarnings("unchecked")
	public RedisScript<List<String>> fields(String name) {
		return (RedisScript<List<String>>) (RedisScript<?>) RedisScript.of(resource(name), List.class);
	}

	private ClassPathResource resource(String name) {
		return new ClassPathResource(name + ".lua", this.owner);
	}

	/** Registers the scripts of all features for native images. */
	static final class Hints implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.resources().registerPattern("io/delayqueue/sample/*/*.lua");
		}

	}

}
