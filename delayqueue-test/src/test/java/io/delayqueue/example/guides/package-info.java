/**
 * The examples of the guides of {@code docs}.
 */
@NullMarked
package io.delayqueue.example.guides;

import org.jspecify.annotations.NullMarked;
