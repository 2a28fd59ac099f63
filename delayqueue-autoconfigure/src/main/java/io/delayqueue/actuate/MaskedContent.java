package io.delayqueue.actuate;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.delayqueue.actuate.MessageDescriptor.Failure;
import io.delayqueue.actuate.MessageDescriptor.Payload;
import io.delayqueue.admin.MessageMask;
import io.delayqueue.admin.MessageMask.Content;
import io.delayqueue.admin.MessageMask.Part;
import io.delayqueue.record.FailedAttempt;
import io.delayqueue.record.FailureRecord;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.unit.DataSize;

/**
 * Applies masks, access rules and the size limit to message content that the endpoint
 * shows. Safe for use by several threads, if the masks are.
 */
public final class MaskedContent {

	/** The replacement of hidden values, the same as in Spring Boot's endpoints. */
	static final String HIDDEN = "******";

	private static final Log logger = LogFactory.getLog(MaskedContent.class);

	private final List<MessageMask> masks;

	private final Set<MessageMask> failed = ConcurrentHashMap.newKeySet();

	private final int maxBytes;

	/**
	 * Creates an instance that applies the given masks and size limit.
	 * @param masks the masks, in the order in which they are applied
	 * @param maxPayloadSize the maximum size of the shown part of a payload, up to 16 MB
	 */
	public MaskedContent(List<MessageMask> masks, DataSize maxPayloadSize) {
		this.masks = List.copyOf(masks);
		this.maxBytes = Math.toIntExact(maxPayloadSize.toBytes());
	}

	Map<String, String> headers(String queue, String id, Map<String, String> headers) {
		Map<String, String> shown = new LinkedHashMap<>();
		headers.forEach((name, value) -> {
			String masked = mask(new Content(queue, id, Part.HEADER, name, value)).text();
			shown.put(name, (masked != null) ? masked : HIDDEN);
		});
		return shown;
	}

	@Nullable Failure failure(String queue, String id, FailureRecord failure) {
		FailureRecord.Last last = failure.last();
		if (last == null) {
			return null;
		}
		String masked = mask(new Content(queue, id, Part.FAILURE, null, last.message())).text();
		FailedAttempt attempt = failure.attempt();
		return new Failure(last.reason(), last.exception(), (masked != null) ? masked : HIDDEN,
				(attempt != null) ? Instant.ofEpochMilli(attempt.atMillis()) : null,
				(attempt != null) ? attempt.process() : null, (attempt != null) ? attempt.tookMillis() : null, null);
	}

	/** Returns a failure with its stack trace, which is masked like its message. */
	@Nullable Failure failureWithStack(String queue, String id, FailureRecord failure) {
		Failure shown = failure(queue, id, failure);
		FailedAttempt attempt = failure.attempt();
		if (shown == null || attempt == null || attempt.stack() == null) {
			return shown;
		}
		String masked = mask(new Content(queue, id, Part.FAILURE, null, attempt.stack())).text();
		return new Failure(shown.reason(), shown.exception(), shown.message(), shown.at(), shown.process(),
				shown.tookMillis(), (masked != null) ? masked : HIDDEN);
	}

	Payload payload(String queue, String id, byte[] payload, boolean allowed) {
		if (!allowed) {
			return Payload.hidden(payload.length, "not-allowed");
		}
		String text = text(payload);
		Masked masked = mask((text != null) ? new Content(queue, id, Part.PAYLOAD, null, text)
				: new Content(queue, id, Part.BINARY_PAYLOAD, null, Base64.getEncoder().encodeToString(payload)));
		String whole = masked.text();
		if (whole == null) {
			return Payload.hidden(payload.length, masked.failed() ? "mask-failed" : "masked");
		}
		String cut = (text != null) ? cutText(whole) : cutBase64(whole);
		return new Payload(payload.length, null, (text != null) ? "text" : "base64", cut,
				cut.length() < whole.length());
	}

	/**
	 * A text after all masks have been applied to it.
	 *
	 * @param text the masked text, {@code null} if the text is hidden
	 * @param failed whether the text is hidden because a mask has failed
	 */
	private record Masked(@Nullable String text, boolean failed) {
	}

	private Masked mask(Content content) {
		Content current = content;
		for (MessageMask mask : this.masks) {
			String text;
			try {
				text = mask.mask(current);
			}
			catch (RuntimeException | StackOverflowError failure) {
				logFailure(content, mask, failure);
				return new Masked(null, true);
			}
			if (text == null) {
				return new Masked(null, false);
			}
			current = new Content(content.queue(), content.messageId(), content.part(), content.header(), text);
		}
		return new Masked(current.text(), false);
	}

	/**
	 * Logs that a mask has failed. The log line does not contain the message of the
	 * exception, because this message may contain the hidden content.
	 */
	private void logFailure(Content content, MessageMask mask, Throwable failure) {
		String what = content.part() + " of message '" + content.messageId() + "' of queue '" + content.queue()
				+ "' is hidden: " + mask.getClass().getName() + " has thrown " + failure.getClass().getName();
		if (this.failed.add(mask)) {
			logger.warn(what + "; content for which a mask throws is hidden, and later failures are logged at DEBUG");
		}
		else {
			logger.debug(what);
		}
	}

	private static @Nullable String text(byte[] bytes) {
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
		}
		catch (CharacterCodingException noText) {
			return null;
		}
	}

	/** Cuts a text to the maximum number of UTF-8 bytes, never within a character. */
	private String cutText(String text) {
		int bytes = 0;
		for (int i = 0; i < text.length();) {
			int character = text.codePointAt(i);
			bytes += (character < 0x80) ? 1 : (character < 0x800) ? 2 : (character < 0x10000) ? 3 : 4;
			if (bytes > this.maxBytes) {
				return text.substring(0, i);
			}
			i += Character.charCount(character);
		}
		return text;
	}

	/**
	 * Cuts a Base64 text to the maximum number of decoded bytes, after a complete group
	 * of four characters, so that the shortened text can be decoded.
	 */
	private String cutBase64(String text) {
		boolean fits = text.length() <= (this.maxBytes + 2) / 3 * 4;
		return fits ? text : text.substring(0, this.maxBytes / 3 * 4);
	}

}
