/**
 * The application events.
 */
@NullMarked
package io.delayqueue.event;

import org.jspecify.annotations.NullMarked;
