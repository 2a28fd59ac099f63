package io.delayqueue.sample.pushes;

import java.time.Instant;

import com.fasterxml.jackson.annotation.JsonIgnore;
import org.jspecify.annotations.Nullable;

/**
 * The state of a push at one moment, as returned to callers.
 *
 * @param id the id that the caller chose
 * @param at its due time
 * @param text the text to deliver
 * @param deliveredAt when it was delivered, by the clock of Redis; {@code null} before
 * @param messageId the id of its message, which is unique: the id of a deleted push may
 * be used again
 */
record Push(String id, Instant at, String text, @Nullable Instant deliveredAt, @JsonIgnore String messageId) {

}
