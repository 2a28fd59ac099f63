/**
 * The examples of {@code docs/history.md}.
 */
@NullMarked
package io.delayqueue.example.history;

import org.jspecify.annotations.NullMarked;
