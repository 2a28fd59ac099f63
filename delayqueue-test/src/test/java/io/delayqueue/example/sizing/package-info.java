/**
 * Measures the numbers of the guide {@code sizing}.
 */
@NullMarked
package io.delayqueue.example.sizing;

import org.jspecify.annotations.NullMarked;
