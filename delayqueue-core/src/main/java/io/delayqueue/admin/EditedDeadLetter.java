package io.delayqueue.admin;

import io.delayqueue.MessageKey;

/**
 * A dead letter that was edited and redriven, with the digests of both versions for an
 * audit. A digest is the SHA-256 hash, in 64 hexadecimal digits, of what Redis stores of
 * the message behind its call token: a JSON object with its group, headers, retry
 * settings and creation (nothing if it has none of these), a line feed, and the payload.
 *
 * @param key the redriven message, with its new id if the edit has one
 * @param digestBefore the digest of the dead letter
 * @param digestAfter the digest of the redriven message
 */
public record EditedDeadLetter(MessageKey key, String digestBefore, String digestAfter) {
}
