package io.delayqueue.soak;

import java.util.List;

import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.script.DefaultScriptExecutor;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * Runs the scripts of the producer with the fault of a {@link Mutation}. Workers find
 * theirs on their classpath, which the producer shares with the tests.
 */
final class BrokenScripts extends DefaultScriptExecutor<String> {

	private final Mutation mutation;

	BrokenScripts(RedisTemplate<String, byte[]> template, Mutation mutation) {
		super(template);
		this.mutation = mutation;
	}

	@Override
	public <T> T execute(RedisScript<T> script, RedisSerializer<?> argumentSerializer,
			RedisSerializer<T> resultSerializer, List<String> keys, Object... arguments) {
		return super.execute(broken(script), argumentSerializer, resultSerializer, keys, arguments);
	}

	private <T> RedisScript<T> broken(RedisScript<T> script) {
		String text = script.getScriptAsString();
		String broken = this.mutation.broken(text);
		Class<T> result = script.getResultType();
		return (broken.equals(text) || result == null) ? script : RedisScript.of(broken, result);
	}

}
