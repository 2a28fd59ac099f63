package io.delayqueue.journey;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiConsumer;

import io.delayqueue.store.DelayQueueRedisTemplate;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.data.redis.core.script.DefaultScriptExecutor;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * Does something when a script has been answered and nobody has seen the answer yet.
 */
final class AfterScripts implements BeanPostProcessor {

	private final BiConsumer<String, List<String>> action;

	/** With the text of the script and its keys. */
	AfterScripts(BiConsumer<String, List<String>> action) {
		this.action = action;
	}

	/** The text of a script, so that no test goes by its words. */
	static String text(String name) {
		try (InputStream file = DelayQueueRedisTemplate.class.getResourceAsStream(name + ".lua")) {
			return new String(file.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String name) {
		if (bean instanceof DelayQueueRedisTemplate template) {
			template.setScriptExecutor(new DefaultScriptExecutor<>(template) {

				@Override
				public <T> T execute(RedisScript<T> script, RedisSerializer<?> argumentSerializer,
						RedisSerializer<T> resultSerializer, List<String> keys, Object... arguments) {
					T reply = super.execute(script, argumentSerializer, resultSerializer, keys, arguments);
					AfterScripts.this.action.accept(script.getScriptAsString(), keys);
					return reply;
				}

			});
		}
		return bean;
	}

}
