/**
 * The examples of {@code README.md} and of the reference pages in {@code docs}, compiled
 * and run.
 */
@NullMarked
package io.delayqueue.example.readme;

import org.jspecify.annotations.NullMarked;
