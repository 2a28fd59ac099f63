package io.delayqueue.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.PropertyMapping;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.env.Environment;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Test slice for listeners: the application context contains only the beans that have a
 * {@link io.delayqueue.DelayedListener} method, or only the named ones of them, and the
 * beans for Redis and JSON. The test provides further dependencies of the listeners, for
 * example with {@code @MockitoBean} or {@code @Import}. In all other respects the slice
 * works like {@link AutoConfigureDelayQueueTest}.
 *
 * <pre class="code">
 * &#64;DelayQueueTest(ReminderListener.class)
 * class ReminderListenerTests {
 *
 *     &#64;MockitoBean
 *     Mailer mailer;
 *
 *     &#64;Test
 *     void remindsAWeekLater(&#64;Autowired DelayQueueOperations queue, &#64;Autowired DelayQueueTime time) {
 *         queue.schedule("reminders", new Reminder("m-1"), Duration.ofDays(7));
 *         time.advance(Duration.ofDays(7));
 *         verify(this.mailer).send("m-1");
 *     }
 *
 * }
 * </pre>
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@BootstrapWith(DelayQueueTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(DelayQueueTypeExcludeFilter.class)
@AutoConfigureDelayQueueTest
@ImportAutoConfiguration
public @interface DelayQueueTest {

	/**
	 * The same as {@link #listeners()}.
	 * @return the classes of the listeners
	 */
	@AliasFor("listeners")
	Class<?>[] value() default {};

	/**
	 * The listeners of the test: the context has beans of these classes, and of no other
	 * listener. A class that is no component, for example because a method with
	 * {@code @Bean} declares it, becomes a bean too.
	 * @return the classes of the listeners; empty for all listeners of the application
	 * that are components
	 */
	@AliasFor("value")
	Class<?>[] listeners() default {};

	/**
	 * Properties in the form {@code key=value} that are added to the {@link Environment}
	 * before the test runs.
	 * @return the properties
	 */
	String[] properties() default {};

	/**
	 * Whether the application context of the test contains the beans that have a
	 * listener.
	 * @return {@code false} to include only the beans that {@link #includeFilters()}
	 * select
	 */
	boolean useDefaultFilters() default true;

	/**
	 * Filters that add beans to the application context of the test.
	 * @return the filters
	 */
	Filter[] includeFilters() default {};

	/**
	 * Filters that exclude beans from the application context of the test.
	 * @return the filters
	 */
	Filter[] excludeFilters() default {};

	/**
	 * Auto-configurations to exclude from the test.
	 * @return the classes
	 */
	@AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
	Class<?>[] excludeAutoConfiguration() default {};

	/**
	 * See {@link AutoConfigureDelayQueueTest#replaceRedis()}.
	 * @return {@code false} to use the application's Redis
	 */
	@PropertyMapping("delayqueue-test.replace-redis")
	boolean replaceRedis() default true;

}
