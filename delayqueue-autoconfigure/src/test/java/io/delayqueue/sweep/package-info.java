/**
 * The sweeper and the listener to hints, each by itself.
 */
@NullMarked
package io.delayqueue.sweep;

import org.jspecify.annotations.NullMarked;
