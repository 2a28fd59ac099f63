/**
 * What a user would write: an application that schedules and handles delayed messages.
 * <p>
 * Each use of delayed messages is a package of its own ({@code orders}); what they share
 * is how a request fails ({@code web}) and where Redis is ({@code redis}).
 */
@NullMarked
package io.delayqueue.sample;

import org.jspecify.annotations.NullMarked;
