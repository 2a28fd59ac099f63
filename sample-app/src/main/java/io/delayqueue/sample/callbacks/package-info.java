/**
 * Tells a partner until it answers (queue {@code callback}): at once, then after 1, 3, 5,
 * ... 17 units, 10 calls in all; who has not answered by then is set aside, and can be
 * given another chance.
 * <p>
 * The message is the truth: it knows the attempts, the time of the next one, and whether
 * it was set aside. Beside it is kept only what it cannot know: what the partner said,
 * and, when the message has gone, that the partner was told. In the order of a callback's
 * life: {@code CallbackController}, {@code Callbacks}, {@code CallbackListener} (with
 * {@code Partner}), {@code CallbackNotes}.
 */
@NullMarked
package io.delayqueue.sample.callbacks;

import org.jspecify.annotations.NullMarked;
