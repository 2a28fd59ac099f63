package io.delayqueue.schedule;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.DurationText;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.PayloadConverter;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.observe.MessageSpan;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.GeneratedIds;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.RetryOverride;
import io.delayqueue.record.Envelope;
import io.delayqueue.record.Envelope.Creation;
import io.delayqueue.store.Due;
import io.delayqueue.store.Expiry;
import io.delayqueue.store.Partitioner;
import io.delayqueue.store.NewMessage;
import org.jspecify.annotations.Nullable;

/**
 * A checked and serialized message with the partition to which it is sent. A repeated
 * call to Redis sends the same bytes.
 *
 * @param settings the queue's settings
 * @param partition the partition to which the message is sent
 * @param message the message to store
 */
record OutgoingMessage(QueueSettings settings, Partition partition, NewMessage message) {

	String id() {
		return this.message.id();
	}

	/**
	 * Returns this message with the partition to which it is sent first. The partition of
	 * the oldest epoch (partition count of the queue) is called first, because a message
	 * belongs to the oldest epoch that has a record of its group, or a record of its id
	 * if it has no group. A message with a generated id and without a group is sent to
	 * the current epoch, because no epoch has a record of such an id.
	 */
	OutgoingMessage first(Epochs epochs) {
		boolean isNew = this.message.onDuplicate() == null && this.message.group() == null;
		return in(isNew ? epochs.current() : epochs.epochs().get(0));
	}

	/**
	 * Returns whether the given epochs (partition counts of the queue) contain the
	 * partition of this message, and the message belongs to that partition by its id or
	 * group.
	 */
	boolean isIn(Epochs epochs) {
		return epochs.epochs()
			.stream()
			.anyMatch((epoch) -> epoch.number() == this.partition.epoch()
					&& in(epoch).partition().equals(this.partition));
	}

	/**
	 * Returns this message with the next partition to try, after the present partition
	 * has answered that the message belongs to another partition. The next partition is
	 * in the next newer epoch. If the given epochs do not contain the present partition,
	 * the next partition is that of {@link #first}.
	 * @return the message, empty if there is no newer epoch
	 */
	Optional<OutgoingMessage> next(Epochs epochs) {
		if (!isIn(epochs)) {
			return Optional.of(first(epochs));
		}
		return epochs.epochs()
			.stream()
			.filter((epoch) -> epoch.number() > this.partition.epoch() && !epoch.announced())
			.findFirst()
			.map(this::in);
	}

	private OutgoingMessage in(Epoch epoch) {
		int number = Partitioner.of(id(), this.message.group(), epoch.partitions());
		return new OutgoingMessage(this.settings, new Partition(this.settings.name(), epoch.number(), number),
				this.message);
	}

	/**
	 * Checks a request and serializes it to a message, with the headers that the tracing
	 * span adds.
	 * @param created when and by which process the message is created, {@code null} to
	 * store neither
	 * @throws InvalidMessageException if the request is invalid
	 */
	static OutgoingMessage of(ScheduleRequest request, QueueSettings settings, Epochs epochs, GeneratedIds ids,
			PayloadConverter converter, String token, MessageSpan span, @Nullable Creation created) {
		checkDue(request, settings);
		byte[] payload = payload(request, settings, converter);
		String group = request.group().orElse(null);
		String given = request.id().orElse(null);
		checkPolicy(request, given);
		String id = (given != null) ? given : ids.next(Partitioner.forNew(group, epochs.current().partitions()));
		boolean isPostponed = request.onDuplicate().kind() == DuplicatePolicy.Kind.POSTPONE;
		Map<String, String> headers = span.headers(request.headers());
		byte[] envelope = new Envelope(token, isPostponed, group, headers, retry(request), created, payload).toBytes();
		return new OutgoingMessage(settings, new Partition(request.queue(), 0),
				new NewMessage(id, due(request, (group != null) ? group : id), group, expiry(request, settings),
						(given != null) ? request.onDuplicate() : null, envelope))
			.first(epochs);
	}

	private static Expiry expiry(ScheduleRequest request, QueueSettings settings) {
		if (request.expiresAt().isPresent()) {
			return Expiry.at(request.expiresAt().get());
		}
		Duration after = request.expireAfter().orElse(settings.expiry().after());
		return (after != null) ? Expiry.after(after) : Expiry.NEVER;
	}

	/**
	 * Checks the policy for an id that exists already. Every policy except {@code keep}
	 * needs an id that the caller has chosen. With {@code postpone}, the delay must not
	 * exceed the limit of the policy.
	 */
	private static void checkPolicy(ScheduleRequest request, @Nullable String id) {
		DuplicatePolicy policy = request.onDuplicate();
		Duration delay = request.delay().orElse(null);
		if (policy.kind() != DuplicatePolicy.Kind.KEEP && id == null) {
			throw new InvalidMessageException("id", "missing",
					"set where onDuplicate is " + policy.kind() + ", because a generated id has no duplicates");
		}
		if (delay != null && policy.limit().isPresent() && policy.limit().get().compareTo(delay) < 0) {
			throw new InvalidMessageException("delay", DurationText.of(delay),
					"at most the limit of postpone, which is " + DurationText.of(policy.limit().get()));
		}
		policy.limit().ifPresent((limit) -> checkWindow(request, limit, "the limit of postpone"));
	}

	/**
	 * Checks that the delay and the flexible window of a request together are within a
	 * limit. For a request with a due time only the window is checked here, because only
	 * Redis can measure the time until the due time with its clock.
	 */
	private static void checkWindow(ScheduleRequest request, Duration limit, String name) {
		Duration within = request.within().orElse(Duration.ZERO);
		Duration left = limit.minus(request.delay().orElse(Duration.ZERO));
		if (within.compareTo(left) > 0) {
			throw new InvalidMessageException("within", DurationText.of(within), "at most " + DurationText.of(left)
					+ (request.delay().isPresent() ? " after the delay" : "") + ", because of " + name);
		}
	}

	private static RetryOverride retry(ScheduleRequest request) {
		return new RetryOverride(request.maxAttempts().orElse(null), request.backOff().orElse(null));
	}

	private static void checkDue(ScheduleRequest request, QueueSettings settings) {
		String name = "max-delay of queue '" + settings.name() + "'";
		if (request.delay().isPresent() && request.delay().get().compareTo(settings.maxDelay()) > 0) {
			throw new InvalidMessageException("delay", DurationText.of(request.delay().get()),
					"at most " + DurationText.of(settings.maxDelay()) + " (" + name + ")");
		}
		if (request.delay().isEmpty() && request.dueAt().isEmpty()) {
			throw new InvalidMessageException("dueAt", "missing", "set, or a delay must be set");
		}
		checkWindow(request, settings.maxDelay(), name);
	}

	private static Due due(ScheduleRequest request, String key) {
		Duration offset = request.within().map((window) -> FlexibleWindow.offset(key, window)).orElse(Duration.ZERO);
		return request.delay()
			.map((delay) -> Due.in(delay.plus(offset)))
			.orElseGet(() -> Due.at(request.dueAt().orElseThrow().plus(offset)));
	}

	private static byte[] payload(ScheduleRequest request, QueueSettings settings, PayloadConverter converter) {
		Object payload = request.payload().orElseThrow(() -> new InvalidMessageException("payload", "missing", "set"));
		byte @Nullable [] bytes;
		try {
			bytes = request.payloadType()
				.map((type) -> converter.write(payload, type))
				.orElseGet(() -> converter.write(payload));
		}
		catch (RuntimeException problem) {
			throw new InvalidMessageException("payload", "of type " + payload.getClass().getName()
					+ " cannot be written by " + converter.getClass().getSimpleName() + ": " + problem.getMessage(),
					problem);
		}
		if (bytes == null || bytes.length > settings.maxPayloadBytes()) {
			throw new InvalidMessageException("payload size", (bytes != null) ? bytes.length + " bytes" : "missing",
					"at most " + settings.maxPayloadBytes() + " bytes (max-payload-size of queue '" + settings.name()
							+ "')");
		}
		return bytes;
	}

}
