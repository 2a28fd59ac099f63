/**
 * The example of {@code docs/failures.md} of messages that are cancelled while they run.
 */
@NullMarked
package io.delayqueue.example.running;

import org.jspecify.annotations.NullMarked;
