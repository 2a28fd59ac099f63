/**
 * The examples of {@code docs/scheduling.md}.
 */
@NullMarked
package io.delayqueue.example.scheduling;

import org.jspecify.annotations.NullMarked;
