package io.delayqueue.sample.redis;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.script.RedisScript;

/** Loads the Lua scripts of a feature, with a method for each type of result. */
public final class Scripts {

	private final Class<?> owner;

	private Scripts(Class<?> owner) {
		this.owner = owner;
	}

	/**
	 * Creates a loader for the scripts of a feature.
	 * @param owner a class of the package that contains the scripts
	 * @return the loader
	 */
	public static Scripts of(Class<?> owner) {
		return new Scripts(owner);
	}

	/**
	 * Loads a script that returns a number.
	 * @param name the name of the script, without {@code .lua}
	 * @return the script
	 */
	public RedisScript<Long> number(String name) {
		return RedisScript.of(resource(name), Long.class);
	}

	/**
	 * Loads a script that returns a text.
	 * @param name the name of the script, without {@code .lua}
	 * @return the script
	 */
	public RedisScript<String> text(String name) {
		return RedisScript.of(resource(name), String.class);
	}

	/**
	 * Loads a script that returns a list of texts.
	 * @param name the name of the script, without {@code .lua}
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
