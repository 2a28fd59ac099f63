/**
 * The examples of the guide {@code batches}.
 */
@NullMarked
package io.delayqueue.example.batches;

import org.jspecify.annotations.NullMarked;
