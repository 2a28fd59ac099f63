/**
 * The examples of the guide {@code order-timeouts}.
 */
@NullMarked
package io.delayqueue.example.timeouts;

import org.jspecify.annotations.NullMarked;
