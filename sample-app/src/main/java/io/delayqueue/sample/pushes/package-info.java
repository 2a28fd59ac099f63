/**
 * Pushes at a set moment, unless they are deleted before (queue {@code push}): a ball
 * that was thrown is taken back, unless it was picked up first.
 * <p>
 * The push decides, not the message: whether it was delivered or deleted is one
 * compare-and-set in Redis. In the order of a push's life: {@code PushController},
 * {@code Pushes}, {@code PushListener}, {@code PushStore} (and its script).
 */
@NullMarked
package io.delayqueue.sample.pushes;

import org.jspecify.annotations.NullMarked;
