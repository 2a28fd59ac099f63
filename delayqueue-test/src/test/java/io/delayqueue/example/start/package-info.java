/**
 * The examples of the guide {@code getting-started}.
 */
@NullMarked
package io.delayqueue.example.start;

import org.jspecify.annotations.NullMarked;
