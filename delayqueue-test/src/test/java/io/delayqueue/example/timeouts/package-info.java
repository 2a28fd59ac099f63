/**
 * What the guide {@code order-timeouts} shows, compiled and run.
 */
@NullMarked
package io.delayqueue.example.timeouts;

import org.jspecify.annotations.NullMarked;
