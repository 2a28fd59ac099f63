/**
 * What the guide {@code sizing} says, measured.
 */
@NullMarked
package io.delayqueue.example.sizing;

import org.jspecify.annotations.NullMarked;
