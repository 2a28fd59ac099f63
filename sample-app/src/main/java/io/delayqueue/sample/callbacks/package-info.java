/**
 * Calls a partner until it accepts a callback (queue {@code callback}): at once, then
 * after waits of 1, 3, 5, ... 17 times the {@code unit} of the request, 10 calls in all.
 * After the last call the message is dead-lettered and can be redriven.
 * <p>
 * The message is the source of truth: it contains the attempts, the time of the next
 * attempt, and whether it is a dead letter. Beside the message, only the group and the
 * partner's last answer are stored; they stay after the message is acknowledged. The
 * classes in the order of a callback's life: {@code CallbackController},
 * {@code Callbacks}, {@code CallbackListener} (with {@code Partner}),
 * {@code CallbackStore}.
 */
@NullMarked
package io.delayqueue.sample.callbacks;

import org.jspecify.annotations.NullMarked;
