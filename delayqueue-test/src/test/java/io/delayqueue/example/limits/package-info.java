/**
 * The examples of {@code docs/limits.md}.
 */
@NullMarked
package io.delayqueue.example.limits;

import org.jspecify.annotations.NullMarked;
