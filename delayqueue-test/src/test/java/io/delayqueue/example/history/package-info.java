/**
 * The examples of {@code docs/failures.md}.
 */
@NullMarked
package io.delayqueue.example.history;

import org.jspecify.annotations.NullMarked;
