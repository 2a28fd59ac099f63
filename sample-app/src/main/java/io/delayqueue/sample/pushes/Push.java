package io.delayqueue.sample.pushes;

import java.time.Instant;

import com.fasterxml.jackson.annotation.JsonIgnore;
import org.jspecify.annotations.Nullable;

/**
 * The state of a push at one moment, as returned to callers.
 *
 * @param id the id that the caller chose
 * @param at the due time of the push
 * @param text the text to deliver
 * @param deliveredAt when the push was delivered, by the clock of Redis; {@code null}
 * before the delivery
 * @param messageId the id of the delayed message; each push has a new message id, because
 * the id of a deleted push may be used again
 */
record Push(String id, Instant at, String text, @Nullable Instant deliveredAt, @JsonIgnore String messageId) {

}
