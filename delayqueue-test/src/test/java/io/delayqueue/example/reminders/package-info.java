/**
 * What the guide {@code reminders-and-callbacks} shows, compiled and run.
 */
@NullMarked
package io.delayqueue.example.reminders;

import org.jspecify.annotations.NullMarked;
