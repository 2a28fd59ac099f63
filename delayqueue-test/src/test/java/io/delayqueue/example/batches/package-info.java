/**
 * What the guide {@code batches} shows, compiled and run.
 */
@NullMarked
package io.delayqueue.example.batches;

import org.jspecify.annotations.NullMarked;
