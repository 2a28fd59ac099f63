/**
 * Messages that a user reads in the exact order of their 64-bit ids, independent of the
 * order of arrival (queue {@code timeline}).
 * <p>
 * The queue and the timeline use a {@link io.delayqueue.SortableId}: a text that sorts in
 * the same order as the 64-bit number. The score of a sorted set is a double, which
 * cannot distinguish adjacent ids above 2<sup>53</sup>. The queue delivers one message of
 * a user at a time. The classes in the order of a message's life:
 * {@code TimelineController}, {@code Timeline}, {@code TimelineListener},
 * {@code TimelineStore}.
 */
@NullMarked
package io.delayqueue.sample.timeline;

import org.jspecify.annotations.NullMarked;
