/**
 * The package of the engine, which creates the background actors of one process
 * (sweepers, consumers, maintenance) and connects them.
 */
@NullMarked
package io.delayqueue.engine;

import org.jspecify.annotations.NullMarked;
