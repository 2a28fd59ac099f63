/**
 * The engine: makes the actors of one process and connects them.
 */
@NullMarked
package io.delayqueue.engine;

import org.jspecify.annotations.NullMarked;
