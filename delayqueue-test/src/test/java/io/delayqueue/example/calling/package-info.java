/**
 * The examples of {@code docs/limits.md} that call a partner.
 */
@NullMarked
package io.delayqueue.example.calling;

import org.jspecify.annotations.NullMarked;
