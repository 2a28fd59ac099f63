package io.delayqueue.journey;

import java.util.List;
import java.util.function.BiConsumer;

import io.delayqueue.fault.Scripts;
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

	/** With the text of the script, see {@link Scripts}, and its keys. */
	AfterScripts(BiConsumer<String, List<String>> action) {
		this.action = action;
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
