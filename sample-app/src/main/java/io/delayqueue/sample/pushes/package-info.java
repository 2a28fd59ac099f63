/**
 * Delivers a push at a given time, unless the push is deleted before (queue {@code
 * push}). For example, a thrown ball comes back unless a player picks it up first.
 * <p>
 * The push is the source of truth, not the message: delivery and deletion are
 * compare-and-set operations in Redis. The classes in the order of a push's life:
 * {@code PushController}, {@code Pushes}, {@code PushListener}, {@code PushStore} (and
 * its script).
 */
@NullMarked
package io.delayqueue.sample.pushes;

import org.jspecify.annotations.NullMarked;
