package io.delayqueue.redis;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;

/**
 * The bean that holds the template with which this library calls Redis. The template
 * itself is not a bean, so code of the application that injects, post-processes or
 * advises all {@code RedisTemplate} beans does not reach it.
 */
public final class RedisAccess implements SmartLifecycle, DisposableBean, AopInfrastructureBean {

	private static final Log logger = LogFactory.getLog(RedisAccess.class);

	private final RedisTemplate<String, byte[]> template;

	/** The template if it belongs to this object. */
	private final @Nullable DelayQueueRedisTemplate own;

	/**
	 * Creates a template, and starts and stops it.
	 * @param connections the application's connections
	 */
	public RedisAccess(RedisConnectionFactory connections) {
		this.own = new DelayQueueRedisTemplate(connections);
		this.own.afterPropertiesSet();
		this.template = this.own;
	}

	/**
	 * Holds a template of the application, which the application starts and stops.
	 * @param template the application's template
	 */
	public RedisAccess(RedisTemplate<String, byte[]> template) {
		this.own = null;
		this.template = template;
	}

	/**
	 * Returns the template.
	 * @return the template, whose settings must not be changed
	 */
	public RedisTemplate<String, byte[]> template() {
		return this.template;
	}

	@Override
	public void start() {
		RedisConnectionFactory connections = this.template.getRequiredConnectionFactory();
		String address = DriverSettings.of(connections).address();
		logger.info("Delayed messages use the Redis driver " + driver(AopProxyUtils.ultimateTargetClass(connections))
				+ ((address != null) ? ", and Redis at " + address : ""));
		if (this.own != null) {
			this.own.start();
		}
	}

	private static String driver(Class<?> connections) {
		String name = connections.getName();
		return name.contains("Jedis") ? "Jedis" : name.contains("Lettuce") ? "Lettuce" : name;
	}

	@Override
	public void stop() {
		if (this.own != null) {
			this.own.stop();
		}
	}

	@Override
	public boolean isRunning() {
		return this.own != null && this.own.isRunning();
	}

	@Override
	public int getPhase() {
		return 0;
	}

	@Override
	public void destroy() {
		stop();
	}

}
