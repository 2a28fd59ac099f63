package io.delayqueue.journey;

import java.util.List;

import io.delayqueue.fault.fixture.Scripts;
import io.delayqueue.store.DelayQueueRedisTemplate;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.data.redis.core.script.DefaultScriptExecutor;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * Does something when a script has been answered and nobody has seen the answer yet.
 */
final class AfterScripts implements BeanPostProcessor {

	private final Action action;

	AfterScripts(Action action) {
		this.action = action;
	}

	/** What is done. */
	interface Action {

		/**
		 * A script has been answered.
		 * @param script its text, see {@link Scripts}
		 * @param keys its keys
		 * @param reply the answer
		 */
		void after(String script, List<String> keys, List<?> reply);

	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String name) {
		if (bean instanceof DelayQueueRedisTemplate template) {
			template.setScriptExecutor(new DefaultScriptExecutor<>(template) {

				@Override
				public <T> T execute(RedisScript<T> script, RedisSerializer<?> argumentSerializer,
						RedisSerializer<T> resultSerializer, List<String> keys, Object... arguments) {
					T reply = super.execute(script, argumentSerializer, resultSerializer, keys, arguments);
					AfterScripts.this.action.after(script.getScriptAsString(), keys, (List<?>) reply);
					return reply;
				}

			});
		}
		return bean;
	}

}
