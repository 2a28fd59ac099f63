package io.delayqueue.operate;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import io.delayqueue.DuplicateMessageException;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.MessageState;
import io.delayqueue.QueueDrainingException;
import io.delayqueue.QuotaExceededException;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.UnknownRecordException;
import io.delayqueue.admin.DeadLetterEdit;
import io.delayqueue.admin.EditedDeadLetter;
import io.delayqueue.fleet.Wakeups;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;
import io.delayqueue.record.CallToken;
import io.delayqueue.record.Envelope;
import io.delayqueue.record.Sha256;
import io.delayqueue.record.UnreadableRecordException;
import io.delayqueue.store.DeadLetters;
import io.delayqueue.store.DeadLetters.Redriven;
import io.delayqueue.store.Due;
import io.delayqueue.store.Expiry;
import io.delayqueue.store.KnownMessages;
import io.delayqueue.store.KnownMessages.Found;
import io.delayqueue.store.KnownMessages.FoundMessage;
import io.delayqueue.store.NewMessage;
import io.delayqueue.store.RedisCalls;
import io.delayqueue.store.RetryingCalls;
import io.delayqueue.store.ScheduledMessages;
import io.delayqueue.store.ScheduledMessages.Answers;
import io.delayqueue.store.ScheduledMessages.Stored;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Edits dead letters and redrives them. Without a new id, one script does both. A message
 * with a new id may belong to another partition: it is scheduled first, by a call whose
 * token follows from the dead letter and the edit, so that a repeat schedules no second
 * message; then the dead letter is removed.
 */
final class DeadLetterEditor {

	/**
	 * The time after the end of a message with a new id within which the repeat of a
	 * stopped edit schedules no second message.
	 */
	private static final Duration REPEATED = Duration.ofHours(1);

	private static final JsonMapper JSON = JsonMapper.builder()
		.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
		.build();

	private final Queues queues;

	private final KnownPartitions known;

	private final KnownMessages messages;

	private final ScheduledMessages scheduled;

	private final DeadLetters deadLetters;

	private final RetryingCalls retryingCalls;

	private final Wakeups wakeups;

	DeadLetterEditor(Queues queues, KnownPartitions known, RedisCalls calls, RetryingCalls retryingCalls,
			Wakeups wakeups) {
		this.queues = queues;
		this.known = known;
		this.messages = new KnownMessages(calls);
		this.scheduled = new ScheduledMessages(calls);
		this.deadLetters = new DeadLetters(calls);
		this.retryingCalls = retryingCalls;
		this.wakeups = wakeups;
	}

	Optional<EditedDeadLetter> redrive(MessageKey key, DeadLetterEdit edit) {
		QueueSettings settings = this.queues.settings(key.queue());
		this.known.epochs(settings);
		FoundMessage letter = this.retryingCalls
			.call(key, settings, (answer) -> answer.message() != null, Found::elsewhere, this.messages::find)
			.message();
		if (letter == null || letter.state() != MessageState.DEAD) {
			return Optional.empty();
		}
		Envelope before = read(letter);
		Envelope after = edited(before, edit, settings);
		MessageKey found = new MessageKey(key.queue(), letter.id(), letter.group());
		MessageKey renamed = new MessageKey(key.queue(), (edit.id() != null) ? edit.id() : letter.id(), letter.group());
		if (!renamed.equals(found)) {
			rename(renamed, letter, after, settings);
		}
		else if (!redrive(found, letter, after, settings)) {
			return Optional.empty();
		}
		return Optional.of(new EditedDeadLetter(renamed, digest(before), digest(after)));
	}

	private static Envelope read(FoundMessage letter) {
		try {
			return letter.message().envelope();
		}
		catch (UnreadableRecordException unreadable) {
			throw new UnknownRecordException(letter.partition().queue(), letter.id(),
					String.valueOf(unreadable.getMessage()), unreadable);
		}
	}

	private static Envelope edited(Envelope before, DeadLetterEdit edit, QueueSettings settings) {
		Map<String, String> headers = new LinkedHashMap<>(before.headers());
		edit.headers().forEach((name, value) -> {
			if (value != null) {
				headers.put(name, value);
			}
			else {
				headers.remove(name);
			}
		});
		// Checks their number
		ScheduleRequest request = ScheduleRequest.to(settings.name());
		for (Map.Entry<String, String> header : edit.headers().isEmpty() ? Set.<Map.Entry<String, String>>of()
				: headers.entrySet()) {
			request = request.header(header.getKey(), header.getValue());
		}
		byte[] payload = edit.payload();
		if (payload != null) {
			check(payload, before.payload(), settings);
		}
		return new Envelope(before.token(), false, before.group(), headers, before.retry(), before.created(),
				(payload != null) ? payload : before.payload());
	}

	private static void check(byte[] payload, byte[] before, QueueSettings settings) {
		if (payload.length > settings.maxPayloadBytes()) {
			throw new InvalidMessageException("payload", payload.length + " bytes", "of at most "
					+ settings.maxPayloadBytes() + " bytes (max-payload-size of queue '" + settings.name() + "')");
		}
		String fault = fault(payload);
		if (fault != null && fault(before) == null) {
			throw new InvalidMessageException("payload", "not JSON",
					"JSON, as the present payload is; it is not in " + fault);
		}
	}

	/** Returns where a payload is not JSON, {@code null} if it is JSON. */
	private static @Nullable String fault(byte[] payload) {
		try {
			return JSON.readTree(payload).isMissingNode() ? "line 1, column 1" : null;
		}
		catch (JacksonException fault) {
			return "line " + fault.getLocation().getLineNr() + ", column " + fault.getLocation().getColumnNr();
		}
	}

	private boolean redrive(MessageKey key, FoundMessage letter, Envelope after, QueueSettings settings) {
		String token = CallToken.next();
		Redriven redriven = this.retryingCalls.call(key, settings,
				(answer) -> answer.redriven() + answer.refused().size() > 0, (answer) -> false, (candidate) -> {
					Redriven answer = this.deadLetters.redrive(candidate.partition(), token,
							settings.doneWindowOfGenerated(), settings.groups().quota(), letter.storedId(),
							letter.placeMillis(), after);
					if (answer.firstDueMillis() >= 0) {
						this.wakeups.due(candidate.partition(), 0);
					}
					return answer;
				});
		if (!redriven.refused().isEmpty()) {
			throw new QuotaExceededException(key.queue(), key.id(), key.group(), settings.groups().quota());
		}
		return redriven.redriven() > 0;
	}

	private void rename(MessageKey renamed, FoundMessage letter, Envelope after, QueueSettings settings) {
		String call = String.join("\0", "edit", renamed.queue(), String.valueOf(renamed.group()), letter.id(),
				Long.toString(letter.placeMillis()), renamed.id(), digest(after));
		Envelope envelope = new Envelope(CallToken.lastingOf(call, REPEATED), false, after.group(), after.headers(),
				after.retry(), after.created(), after.payload());
		NewMessage message = new NewMessage(renamed.id(), Due.in(Duration.ZERO), renamed.group(), Expiry.NEVER,
				DuplicatePolicy.fail(), envelope.toBytes());
		Answers answers = this.retryingCalls.call(renamed, settings, (answer) -> stored(answer) != Stored.ELSEWHERE,
				(answer) -> stored(answer) == Stored.ELSEWHERE,
				(candidate) -> schedule(candidate.partition(), settings, message));
		Stored stored = stored(answers);
		switch (stored) {
			case CREATED, REPLACED, POSTPONED, SUPERSEDED, ENDED -> {
			}
			case SCHEDULED, PARKED, READY, PENDING, DEAD ->
				throw new DuplicateMessageException(renamed.queue(), renamed.id(), MessageState.valueOf(stored.name()));
			case DONE -> throw new DuplicateMessageException(renamed.queue(), renamed.id(), null);
			case FULL -> throw new QuotaExceededException(renamed.queue(), renamed.id(), renamed.group(),
					settings.groups().quota());
			case DRAINING -> throw new QueueDrainingException(renamed.queue(), renamed.id(),
					Instant.ofEpochMilli(answers.drainingSinceMillis()));
			case DUPLICATE, TOO_FAR, EXPIRES, ELSEWHERE ->
				throw new IllegalStateException(stored + " answers a message that is due now, which indicates a bug");
		}
		String token = CallToken.next();
		MessageKey old = new MessageKey(renamed.queue(), letter.id(), letter.group());
		this.retryingCalls.call(old, settings, (removed) -> removed, (removed) -> false,
				(candidate) -> this.deadLetters.moved(candidate.partition(), token, settings.doneWindowOfGenerated(),
						letter.storedId(), letter.placeMillis()));
	}

	private static Stored stored(Answers answers) {
		return answers.answers().get(0).stored();
	}

	private Answers schedule(Partition partition, QueueSettings settings, NewMessage message) {
		Epochs epochs = this.known.directory().cached(settings);
		Answers answers = this.scheduled.schedule(partition, epochs, settings, List.of(message));
		if (answers.unparked() > 0 || answers.newHead()) {
			this.wakeups.due(partition, 0);
		}
		return answers;
	}

	private static String digest(Envelope envelope) {
		byte[] bytes = envelope.toBytes();
		return HexFormat.of().formatHex(Sha256.of(Arrays.copyOfRange(bytes, CallToken.LENGTH, bytes.length)));
	}

}
