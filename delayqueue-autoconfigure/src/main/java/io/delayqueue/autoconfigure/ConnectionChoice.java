package io.delayqueue.autoconfigure;

import java.util.List;
import java.util.Objects;

import io.delayqueue.autoconfigure.InvalidConfigurationException.Fault;

import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Chooses the connections of delayed messages: those that are marked with
 * {@link DelayQueueRedis}, or else those of the application.
 */
final class ConnectionChoice {

	private ConnectionChoice() {
	}

	/**
	 * Returns the connection factory of delayed messages.
	 * @throws InvalidConfigurationException if there are several
	 */
	static RedisConnectionFactory of(ObjectProvider<RedisConnectionFactory> marked,
			ObjectProvider<RedisConnectionFactory> all) {
		try {
			return marked.getIfAvailable(all::getObject);
		}
		catch (NoUniqueBeanDefinitionException several) {
			throw new InvalidConfigurationException(List.of(new Fault("The RedisConnectionFactory of delayed messages",
					String.join(", ", Objects.requireNonNullElse(several.getBeanNamesFound(), List.of())),
					"must be one bean",
					"Annotate the one for delayed messages with @DelayQueueRedis, or the one for all purposes with"
							+ " @Primary")));
		}
	}

}
