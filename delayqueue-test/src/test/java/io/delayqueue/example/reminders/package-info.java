/**
 * The examples of the guide {@code reminders-and-callbacks}.
 */
@NullMarked
package io.delayqueue.example.reminders;

import org.jspecify.annotations.NullMarked;
