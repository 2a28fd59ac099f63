package io.delayqueue.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.PropertyMapping;

/**
 * Configures delayed messages for a test class, with separate keys and a controllable
 * time:
 *
 * <pre class="code">
 * &#64;SpringBootTest
 * &#64;AutoConfigureDelayQueueTest
 * class OrderTests {
 *
 *     &#64;Autowired
 *     DelayQueueTime time;
 *
 *     &#64;Test
 *     void unpaidOrderIsCancelled() {
 *         this.orders.place("o-1");
 *         this.time.advance(Duration.ofMinutes(15));
 *         assertThat(this.orders.find("o-1").isCancelled()).isTrue();
 *     }
 *
 * }
 * </pre>
 *
 * <ul>
 * <li>The tests use the real engine, the real scripts and a real Redis. Redis is
 * {@link io.delayqueue.test.redis.SharedRedis}, unless the test has a service connection,
 * or {@link #replaceRedis()} is {@code false}.</li>
 * <li>All keys have a prefix that is unique for the application context. Before each test
 * method except the first, the listeners are stopped, the keys are removed, the time is
 * reset to that of Redis, and the listeners are started again.</li>
 * <li>The context contains the beans {@link DelayQueueTime} and {@link TestQueues}.</li>
 * </ul>
 *
 * <p>
 * Test methods of one application context must run one after the other. A test changes
 * only the time of its own process.
 *
 * @see DelayQueueTest
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
@PropertyMapping("delayqueue-test")
public @interface AutoConfigureDelayQueueTest {

	/**
	 * Whether messages are stored in the Redis that all tests share instead of the Redis
	 * that the application configures. A {@code DataRedisConnectionDetails} bean or a
	 * service connection of the test takes precedence over both.
	 * @return {@code false} to use the application's Redis
	 */
	boolean replaceRedis() default true;

}
