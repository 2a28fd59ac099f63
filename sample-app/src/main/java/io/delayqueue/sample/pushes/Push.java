package io.delayqueue.sample.pushes;

import java.time.Instant;

import com.fasterxml.jackson.annotation.JsonIgnore;
import org.jspecify.annotations.Nullable;

/**
 * A push at one moment, as callers see it.
 *
 * @param id the id that the caller chose
 * @param at when it is to be delivered
 * @param text what is delivered
 * @param deliveredAt when it was delivered, by the clock of Redis; {@code null} before
 * @param messageId the id of its message, which is this push's alone: once a push is
 * deleted, its id may be another one's
 */
record Push(String id, Instant at, String text, @Nullable Instant deliveredAt, @JsonIgnore String messageId) {

}
