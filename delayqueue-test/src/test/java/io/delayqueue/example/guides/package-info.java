/**
 * What the guides of {@code docs} show, compiled and run.
 */
@NullMarked
package io.delayqueue.example.guides;

import org.jspecify.annotations.NullMarked;
