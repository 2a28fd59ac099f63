/**
 * The examples of {@code docs/recurring.md}.
 */
@NullMarked
package io.delayqueue.example.recurring;

import org.jspecify.annotations.NullMarked;
