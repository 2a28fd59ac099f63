/**
 * The Spring application events that this library publishes about queues and messages.
 */
@NullMarked
package io.delayqueue.event;

import org.jspecify.annotations.NullMarked;
