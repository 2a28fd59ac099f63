/**
 * What {@code README.md} shows, compiled and run.
 */
@NullMarked
package io.delayqueue.example.readme;

import org.jspecify.annotations.NullMarked;
