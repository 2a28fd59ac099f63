/**
 * The API for operators. Begin with:
 * <ul>
 * <li>{@link io.delayqueue.admin.DelayQueueAdmin}: the bean that lists, redrives and
 * discards dead letters, and pauses, holds, drains and purges queues;</li>
 * <li>{@link io.delayqueue.admin.DeadLetterSelection}: the dead letters that a call
 * concerns;</li>
 * <li>{@link io.delayqueue.admin.MessageMask}: hides confidential contents from
 * operators.</li>
 * </ul>
 */
@NullMarked
package io.delayqueue.admin;

import org.jspecify.annotations.NullMarked;
