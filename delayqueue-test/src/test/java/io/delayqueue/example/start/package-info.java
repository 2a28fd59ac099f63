/**
 * What the guide {@code getting-started} shows, compiled and run.
 */
@NullMarked
package io.delayqueue.example.start;

import org.jspecify.annotations.NullMarked;
