package io.delayqueue.schedule;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.PayloadConverter;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleRequestCustomizer;
import io.delayqueue.observe.MessageSpan;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.GeneratedIds;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;
import io.delayqueue.record.CallToken;
import io.delayqueue.record.Envelope.Creation;
import io.delayqueue.store.Due;
import io.delayqueue.store.Expiry;
import io.delayqueue.store.NewMessage;
import io.delayqueue.store.Partitioner;
import io.delayqueue.store.QueueDirectory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

/**
 * Customizes and checks requests to schedule messages, and creates the messages that are
 * sent to Redis.
 */
public final class Requests {

	private final Queues queues;

	private final QueueDirectory directory;

	private final PayloadConverter converter;

	private final SingletonSupplier<List<ScheduleRequestCustomizer>> customizers;

	private final Clock clock = Clock.systemUTC();

	private final GeneratedIds ids = new GeneratedIds(this.clock);

	private final String process;

	/**
	 * Creates the factory of messages for one process.
	 * @param queues the settings of the queues
	 * @param directory the directory of queues and their partition counts
	 * @param converter converts payloads to bytes
	 * @param customizers supplies the customizers of requests in their order; called at
	 * the first request
	 * @param process the name of this process
	 */
	public Requests(Queues queues, QueueDirectory directory, PayloadConverter converter,
			Supplier<List<ScheduleRequestCustomizer>> customizers, String process) {
		this.queues = queues;
		this.directory = directory;
		this.converter = converter;
		this.customizers = SingletonSupplier.of(customizers);
		this.process = process;
	}

	/**
	 * Returns the settings of a queue.
	 * @param queue the queue
	 * @return the settings
	 */
	public QueueSettings settings(String queue) {
		return this.queues.settings(queue);
	}

	/**
	 * Creates the message for a request to schedule, with a new call token.
	 * @throws InvalidMessageException if the request is invalid
	 */
	OutgoingMessage outgoing(ScheduleRequest request, MessageSpan span) {
		return outgoing(request, CallToken.next(), span);
	}

	/**
	 * Creates the message for a request to schedule, with the given call token.
	 * @throws InvalidMessageException if the request is invalid
	 */
	OutgoingMessage outgoing(ScheduleRequest request, String token, MessageSpan span) {
		QueueSettings settings = settings(request.queue());
		Creation created = settings.ends().hasHistory() ? new Creation(this.clock.instant(), this.process) : null;
		return outgoing(request, settings, token, span, created);
	}

	private OutgoingMessage outgoing(ScheduleRequest request, QueueSettings settings, String token, MessageSpan span,
			@Nullable Creation created) {
		return OutgoingMessage.of(customize(request), settings, this.directory.cached(settings), this.ids,
				this.converter, token, span, created);
	}

	/**
	 * Converts a prepared message to the message that is sent to Redis.
	 */
	OutgoingMessage outgoing(PreparedMessage.Since prepared) {
		QueueSettings settings = settings(prepared.message().queue());
		return prepared.message().outgoing(settings, prepared.nanos()).first(this.directory.cached(settings));
	}

	/**
	 * The content of the messages of a recurring schedule, as the stored definition
	 * contains it.
	 *
	 * @param group the group key, {@code null} if the message has none
	 * @param expiry the expiry of each occurrence
	 * @param envelope the bytes that Redis stores for each message (headers and payload),
	 * without the call token
	 */
	@SuppressWarnings("ArrayRecordComponent")
	public record Content(@Nullable String group, Expiry expiry, byte[] envelope) {
	}

	/**
	 * Customizes and checks the messages of a recurring schedule.
	 * @param request the request, whose id, delay and due time are ignored
	 * @return the content of the messages
	 * @throws InvalidMessageException if the request is invalid
	 */
	public Content content(ScheduleRequest request) {
		// Without the creation: the same definition must have the same bytes each time
		NewMessage message = outgoing(request.delay(Duration.ZERO), settings(request.queue()), CallToken.next(),
				MessageSpan.NONE, null)
			.message();
		byte[] envelope = message.envelope();
		return new Content(message.group(), message.expiry(),
				Arrays.copyOfRange(envelope, CallToken.LENGTH, envelope.length));
	}

	/**
	 * Creates one more message of a recurring schedule, due at once, with a generated id.
	 */
	OutgoingMessage outgoing(String queue, Content content) {
		byte[] token = CallToken.next().getBytes(StandardCharsets.US_ASCII);
		byte[] envelope = ByteBuffer.allocate(token.length + content.envelope().length)
			.put(token)
			.put(content.envelope())
			.array();
		QueueSettings settings = settings(queue);
		Epochs epochs = this.directory.cached(settings);
		String id = this.ids.next(Partitioner.forNew(content.group(), epochs.current().partitions()));
		return new OutgoingMessage(settings, new Partition(queue, 0),
				new NewMessage(id, Due.in(Duration.ZERO), content.group(), content.expiry(), null, envelope))
			.first(epochs);
	}

	private ScheduleRequest customize(ScheduleRequest request) {
		ScheduleRequest customized = request;
		for (ScheduleRequestCustomizer customizer : this.customizers.obtain()) {
			customized = check(customizer, customizer.customize(customized), request.queue());
		}
		return customized;
	}

	private static ScheduleRequest check(ScheduleRequestCustomizer customizer, @Nullable ScheduleRequest request,
			String queue) {
		String limit = " after " + customizer.getClass().getName() + " has customized the request";
		if (request == null) {
			throw new InvalidMessageException("request", "null", "one for queue '" + queue + "'" + limit);
		}
		if (!request.queue().equals(queue)) {
			throw new InvalidMessageException("queue", request.queue(), "'" + queue + "' also" + limit);
		}
		return request;
	}

}
