/**
 * The example of holds in {@code docs/limits.md}.
 */
@NullMarked
package io.delayqueue.example.holds;

import org.jspecify.annotations.NullMarked;
