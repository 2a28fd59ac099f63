/**
 * What a user would write: an application that schedules and handles delayed messages.
 * <p>
 * Each use of delayed messages is a package of its own, and none knows another:
 * {@code orders} (cancelled unless paid in time, three at a time), {@code callbacks}
 * (repeated until the partner answers), {@code pushes} (at a set moment), {@code reports}
 * (in batches), {@code timeline} (in exact order). What they share is how a request is
 * checked and fails ({@code web}) and where Redis is ({@code redis}).
 */
@NullMarked
package io.delayqueue.sample;

import org.jspecify.annotations.NullMarked;
