/**
 * An example of a user's application, which schedules and handles delayed messages.
 * <p>
 * Each use of delayed messages has its own package, which does not depend on the other
 * packages: {@code orders} (cancelled unless paid in time; a user has at most three
 * unpaid orders), {@code callbacks} (repeated until the partner accepts them),
 * {@code pushes} (at a given time), {@code reports} (in batches), {@code timeline} (in
 * exact order). All packages share the validation and the errors of requests
 * ({@code web}) and the connection to Redis ({@code redis}).
 */
@NullMarked
package io.delayqueue.sample;

import org.jspecify.annotations.NullMarked;
