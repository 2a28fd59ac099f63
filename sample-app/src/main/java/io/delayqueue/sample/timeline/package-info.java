/**
 * Messages that a user finds in the exact order of their 64-bit ids, whatever order they
 * came in (queue {@code timeline}).
 * <p>
 * An id is a {@link io.delayqueue.SortableId}, in the queue and in the timeline: a text
 * whose order is that of the numbers. As the score of a sorted set it would be a double,
 * to which ids above 2<sup>53</sup> are the same as their neighbours. The queue hands
 * over one message of a user at a time. In the order of a message's life:
 * {@code TimelineController}, {@code Timeline}, {@code TimelineListener},
 * {@code TimelineStore}.
 */
@NullMarked
package io.delayqueue.sample.timeline;

import org.jspecify.annotations.NullMarked;
