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
 * Gives a test class its own delayed messages, and control over their time:
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
 * <li>The engine, the scripts and Redis are the real ones. Redis is
 * {@link io.delayqueue.test.redis.SharedRedis}, unless the test brings a service
 * connection, or {@link #replaceRedis()} is {@code false}.</li>
 * <li>All keys have a prefix that no other application context has. Before each test
 * method but the first the listeners are stopped, what the last one has left behind is
 * removed, the time is Redis's own again, and the listeners are started again.</li>
 * <li>There are beans {@link DelayQueueTime} and {@link TestQueues}.</li>
 * </ul>
 *
 * <p>
 * Test methods of one application context must run one after the other. What another
 * process handles does not travel in time.
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
	 * Whether the messages are in the tests' own Redis instead of the one that the
	 * application's configuration names. A {@code DataRedisConnectionDetails} bean or a
	 * service connection of the test counts more than either.
	 * @return {@code true} unless the application's is wanted
	 */
	boolean replaceRedis() default true;

}
