/**
 * What a user would write: an application that schedules and handles delayed messages.
 */
@NullMarked
package io.delayqueue.sample;

import org.jspecify.annotations.NullMarked;
