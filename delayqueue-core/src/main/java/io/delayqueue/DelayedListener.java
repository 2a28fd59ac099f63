package io.delayqueue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.messaging.handler.annotation.MessageMapping;

/**
 * Declares a method that handles the messages of a queue when they are due.
 *
 * <p>
 * The library calls the listener method at least once for each message of the queue,
 * never before the due time of the message, by several threads at once (see
 * {@link #concurrency()}). A normal return of the listener method acknowledges the
 * message. If the method returns a {@link java.util.concurrent.CompletionStage}, the
 * library acknowledges the message when the stage completes normally, not when the method
 * returns. An exception of the method fails this delivery of the message.
 *
 * <p>
 * The listener method may have these parameters, in any order: the payload (unannotated
 * or {@code @Payload}, validated if it is {@code @Valid}), {@link DelayedMessage} with
 * the payload's type, {@code @Header("name")}, {@code @Headers}, or Spring's
 * {@code Message<T>}. The payload is converted to the declared type; no class name is
 * ever read from Redis.
 *
 * <p>
 * A listener with {@link #batch()} is called with several messages at once. The only
 * parameter of such a listener is an immutable {@code List} of payloads, of
 * {@link DelayedMessage}, or of Spring's {@code Message}, ordered by due time and then by
 * id. Payloads are converted one by one, and validated if the parameter is
 * {@code @Valid}: an unreadable message is dead-lettered without affecting the rest of
 * the batch. A normal return acknowledges all messages of the batch. After a
 * {@link BatchFailedException} the library acknowledges the messages that the exception
 * does not name. Any other exception is a failure of each message.
 *
 * <p>
 * After a failure a message is delivered as a batch of one, at all further attempts. A
 * message of a batch listener is dead-lettered only if the message itself fails: as the
 * only message of its batch, or as a message that {@link BatchFailedException} names. So
 * one failing message does not dead-letter the rest of its batch. After a failure of a
 * whole batch, each message is always retried individually, even if its attempts are used
 * up or exceptions of this type are never retried. If the cause is not in the messages,
 * for example because a service is unavailable, the listener should throw
 * {@link DeferException}, or {@link HoldException} if no other message of the queue can
 * be handled either: the messages of the batch can then be delivered in a batch again. A
 * message whose process has crashed twice is also delivered as a batch of one. Batch
 * listeners have no {@link #errorHandler()} and no {@link #interceptors()}: the library
 * calls error handlers and interceptors for one message at a time.
 *
 * <p>
 * A message that expires before an attempt begins is dropped or dead-lettered, as
 * configured for the queue, unless the queue has a second method with {@link #expired()}.
 *
 * <p>
 * Listener methods may be inherited, of any visibility, and proxied
 * ({@code @Transactional}). Each text attribute of this annotation supports placeholders
 * ({@code ${...}}) and SpEL ({@code #{...}}). In SpEL {@code __listener} is the bean of
 * the method, so several beans of one class can handle a queue each: {@code queue =
 * "#{__listener.queue}"}. If a bean is removed from its context, its listeners stop. Two
 * listeners for one queue in one application fail the start of the application, unless
 * one of them is declared with {@link #expired()}.
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@MessageMapping
public @interface DelayedListener {

	/**
	 * The queue whose messages the listener method handles, or several queues. Each queue
	 * has a container of its own, with the other attributes of this annotation.
	 * @return names of queues: 1 to 100 characters of {@code [A-Za-z0-9._-]}, the first
	 * one a letter or a digit; an element may also be a comma-separated list
	 */
	String[] queue();

	/**
	 * The id of the listener's container in the registry.
	 * @return the id, unique in the application; empty for the queue's name, as it must
	 * be if there are several queues
	 */
	String id() default "";

	/**
	 * The number of messages of the queue that one process handles at once.
	 * @return a number from 1 to 10,000, for a batch listener not less than its batch
	 * size; empty for the queue's {@code delayqueue.queues.<name>.concurrency}. For a
	 * batch listener the library raises this property's value to at least twice the batch
	 * size, or with {@link #groupBy()} to at least ten times the batch size. The number
	 * of batches that a batch listener handles at once is at most this number divided by
	 * the batch size, rounded down
	 */
	String concurrency() default "";

	/**
	 * For how long the listener method may run. After this timeout the library interrupts
	 * the thread of the method, cancels a stage that the method returned, and fails the
	 * attempt as {@code TIMED_OUT}: the failure is a {@link HandlerTimeoutException}, and
	 * a later result of the method does not count. A listener method that does not end on
	 * an interrupt is abandoned, and may run at the same time as the retry of its
	 * message. At any time, all abandoned calls together have at most
	 * {@link #concurrency()} messages. If a further call times out and would exceed this
	 * limit, the listener reads no more messages until this call or an abandoned call has
	 * ended, and meanwhile the health of the application is DOWN. A batch times out as a
	 * whole, and its messages are retried one by one. The timeout also applies to the
	 * method for expired messages of the queue ({@link #expired()}).
	 * @return a duration from 1 second to 365 days, such as {@code 30s}; empty for the
	 * queue's {@code delayqueue.queues.<name>.timeout}
	 */
	String timeout() default "";

	/**
	 * Whether the library stops a handler when its message is cancelled or purged
	 * ({@link CancelResult#IN_FLIGHT}): the library then interrupts the handler's thread,
	 * or cancels the stage that the handler has returned.
	 * {@link DelayedMessage#isCancelled()} shows the cancellation in any case. The
	 * handler of a new message with the same id is not interrupted. This attribute is not
	 * supported with {@link #batch()}.
	 * @return {@code true} to interrupt the handler, {@code false} to let the handler
	 * finish
	 */
	boolean interruptible() default false;

	/**
	 * The largest number of messages that the listener method gets in one call.
	 * @return the batch size, from 1 to 1,000; empty for a listener that takes one
	 * message at a time
	 */
	String batch() default "";

	/**
	 * The time for which an incomplete batch waits for more messages, counted from the
	 * first message of the batch. The wait of a batch ends early when the waiting
	 * messages use the whole {@link #concurrency()}. A message that expires while its
	 * batch waits for more messages is not in the batch.
	 * @return a duration from 0 to 1 minute, such as {@code 200ms}, and less than a third
	 * of the queue's visibility timeout; empty for 0: the listener gets the messages of
	 * each read from Redis at once
	 */
	String batchWait() default "";

	/**
	 * Whether all messages of a batch have the same group key. Messages without a group
	 * key form batches of their own. The {@link #concurrency()} should be at least the
	 * batch size times the number of groups that are busy at once, because each group
	 * fills a batch of its own, and messages that wait for their batch to fill count
	 * towards the concurrency. A batch size above the queue's {@code group.concurrency}
	 * or {@code group.max-active} fails the start of the application; a group with a
	 * smaller limit of its own gets smaller batches.
	 * @return {@code true} if each batch has messages of a single group, {@code false} if
	 * a batch may have messages of several groups
	 */
	boolean groupBy() default false;

	/**
	 * Whether this method handles the expired messages of the queue, in place of the
	 * action {@code delayqueue.queues.<name>.expiry.then}. The method for expired
	 * messages runs in the container of the queue's other listener method, and must be
	 * registered together with that method, preferably on the same bean. A method for
	 * expired messages supports {@link #queue()}, {@link #errorHandler()} and
	 * {@link #interceptors()}, and no other attribute. The method for expired messages
	 * gets one message at a time. Results and exceptions of this method have the same
	 * effects as those of the queue's other listener method: acknowledgement, retries and
	 * dead letters. The queue's other listener method does not get expired messages.
	 * @return {@code true} for the method that handles expired messages, {@code false}
	 * for the method that handles messages before they expire
	 */
	boolean expired() default false;

	/**
	 * Whether the container of the listener starts with the application.
	 * @return {@code true} or {@code false}; empty for {@code true}
	 */
	String autoStartup() default "";

	/**
	 * The executor that runs the listener method.
	 * @return the name of a {@link java.util.concurrent.Executor} bean; empty for the
	 * container's own threads (virtual threads with
	 * {@code spring.threads.virtual.enabled}). An abandoned handler keeps its thread:
	 * configure the executor with twice as many threads as the concurrency, and without a
	 * queue of tasks
	 */
	String executor() default "";

	/**
	 * The error handler of this listener.
	 * @return the name of a {@link DelayedListenerErrorHandler} bean; empty for the error
	 * handler that a {@link DelayedListenerContainerCustomizer} sets, if any
	 */
	String errorHandler() default "";

	/**
	 * The interceptors of this listener.
	 * @return the names of {@link DelayedListenerInterceptor} beans, the outermost first;
	 * an element may also be a comma-separated list. Interceptors that a
	 * {@link DelayedListenerContainerCustomizer} adds are called before these
	 * interceptors
	 */
	String[] interceptors() default {};

}
