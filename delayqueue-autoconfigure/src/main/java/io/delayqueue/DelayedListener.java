package io.delayqueue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.messaging.handler.annotation.MessageMapping;

/**
 * Marks a method that handles the messages of a queue when they are due.
 *
 * <p>
 * The method is called at least once for each message, never before its due time, by
 * several threads at once (see {@link #concurrency()}). A normal return acknowledges the
 * message; a method that returns a {@link java.util.concurrent.CompletionStage} is
 * awaited, and its outcome counts. An exception is a failure of this delivery.
 *
 * <p>
 * Parameters, in any order: the payload (unannotated or {@code @Payload}, validated when
 * it is {@code @Valid}), {@link DelayedMessage} with the payload's type,
 * {@code @Header("name")}, {@code @Headers}, or Spring's {@code Message<T>}. The type of
 * the payload is the declared one; no class name is ever read from Redis.
 *
 * <p>
 * A listener with {@link #batch()} is handed several messages at once. Its only parameter
 * is a {@code List} of payloads, of {@link DelayedMessage}, or of Spring's
 * {@code Message}, in the order of the due times and then of the ids; the list cannot be
 * changed. Payloads are converted, and where the parameter is {@code @Valid} validated,
 * one by one: what cannot be read is set aside and takes nothing along. A normal return
 * acknowledges all messages of the batch, {@link BatchFailedException} those that it does
 * not name, and any other exception is a failure of each of them.
 *
 * <p>
 * A message that has failed comes as a batch of one at all its further attempts, and is
 * set aside for nothing but what it fails of alone, or what {@link BatchFailedException}
 * says of it: one that always fails takes no others along. So a failure of a whole batch
 * is always tried again, by itself each, even if the attempts of its messages would be
 * used up or its type is never retried. A listener that knows that none of its messages
 * is to blame, because what it needs is away, throws {@link DeferException}: then they
 * come together again. A message whose process fell silent comes as a batch of one too,
 * while this process handles nothing else of the queue. Batch listeners have no
 * {@link #errorHandler()} and no {@link #interceptors()}, which are called for one
 * message at a time.
 *
 * <p>
 * A message that expires before an attempt begins is dropped or set aside, as its queue
 * says, unless the queue has a second method with {@link #expired()}.
 *
 * <p>
 * Methods may be inherited, of any visibility, and proxied ({@code @Transactional}). Each
 * text attribute takes placeholders ({@code ${...}}) and SpEL ({@code #{...}}). Two
 * listeners for one queue in one application are refused at start-up, but for one that
 * takes what has expired.
 */
@Target({ ElementType.METHOD, ElementType.ANNOTATION_TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@MessageMapping
public @interface DelayedListener {

	/**
	 * The queue whose messages are handled.
	 * @return a queue name: 1 to 100 characters of {@code [A-Za-z0-9._-]}, the first one
	 * a letter or a digit
	 */
	String queue();

	/**
	 * The id of the listener's container in the registry.
	 * @return the id, unique in the application; empty for the queue's name
	 */
	String id() default "";

	/**
	 * How many messages are handled at once by this process.
	 * @return a number from 1 to 10,000, for a batch listener at least its batch; empty
	 * for the queue's {@code delayqueue.queues.<name>.concurrency}, for a batch listener
	 * at least twice its batch, and ten times with {@link #groupBy()}. A batch listener
	 * runs at most as many times at once as full batches have room in it
	 */
	String concurrency() default "";

	/**
	 * How many messages are handed over at once.
	 * @return the most messages of a batch, from 1 to 1,000; empty for a listener that
	 * takes one message at a time
	 */
	String batch() default "";

	/**
	 * For how long a batch that is not full waits for more messages, counted from its
	 * first one. It waits no longer when all places ({@link #concurrency()}) are taken by
	 * messages that wait. A message that expires meanwhile is not in the batch.
	 * @return a duration from 0 to 1 minute, such as {@code 200ms}, and below a third of
	 * the queue's visibility timeout; empty for 0: what one read has brought is handed
	 * over
	 */
	String batchWait() default "";

	/**
	 * Whether a batch holds messages of one group only, or only messages without a group.
	 * Each group collects a batch of its own; what waits in them takes places, so
	 * {@link #concurrency()} should allow for as many groups as are busy at once. Those
	 * without a group are one group here. A batch larger than what the queue's
	 * {@code group.concurrency} or {@code group.max-active} lets a group have at once is
	 * refused at start-up; a group with a smaller limit of its own gets smaller batches.
	 * @return {@code false} if groups do not matter
	 */
	boolean groupBy() default false;

	/**
	 * Whether this is the method that takes the messages of the queue that have expired,
	 * instead of what {@code delayqueue.queues.<name>.expiry.then} says. It runs in the
	 * container of the queue's other method, which has to be found together with it, best
	 * on the same bean; so of the other attributes only {@link #errorHandler()} and
	 * {@link #interceptors()} are its own. It takes one message at a time, and all rules
	 * of retries and dead letters hold for what it returns and throws. A message that
	 * expired is not handed to the other method any more.
	 * @return {@code false} for the method that handles messages in time
	 */
	boolean expired() default false;

	/**
	 * Whether the container starts with the application.
	 * @return {@code true} or {@code false}; empty for {@code true}
	 */
	String autoStartup() default "";

	/**
	 * The bean that runs the handlers.
	 * @return the name of a {@link java.util.concurrent.Executor} bean; empty for threads
	 * of the container's own (virtual ones where {@code spring.threads.virtual.enabled}
	 * says so). A handler that was abandoned keeps its thread: let it have threads for
	 * twice the concurrency, and no queue
	 */
	String executor() default "";

	/**
	 * The bean that decides what a failure of this listener means.
	 * @return the name of a {@link DelayedListenerErrorHandler} bean; empty for the one
	 * that a {@link DelayedListenerContainerCustomizer} has set, if any
	 */
	String errorHandler() default "";

	/**
	 * The beans that surround the handling of messages.
	 * @return the names of {@link DelayedListenerInterceptor} beans, the outermost first;
	 * one element may also name several, with commas between them. Those that a
	 * {@link DelayedListenerContainerCustomizer} has added are around them
	 */
	String[] interceptors() default {};

}
