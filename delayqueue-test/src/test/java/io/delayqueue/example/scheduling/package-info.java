/**
 * What {@code docs/scheduling.md} shows, compiled and run.
 */
@NullMarked
package io.delayqueue.example.scheduling;

import org.jspecify.annotations.NullMarked;
