/**
 * The examples of {@code README.md}.
 */
@NullMarked
package io.delayqueue.example.readme;

import org.jspecify.annotations.NullMarked;
