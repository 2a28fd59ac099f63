package io.delayqueue.outbox;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Marks the {@code DataSource} that the outbox uses if the application has several. If no
 * {@code DataSource} has this annotation, the outbox uses the only or the primary
 * {@code DataSource}.
 *
 * <pre class="code">
 * &#64;Bean
 * &#64;DelayQueueOutboxDataSource
 * DataSource orders() { ... }
 * </pre>
 */
@Target({ ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.FIELD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Qualifier
public @interface DelayQueueOutboxDataSource {

}
