/**
 * The examples of the guide {@code calling-others}.
 */
@NullMarked
package io.delayqueue.example.calling;

import org.jspecify.annotations.NullMarked;
