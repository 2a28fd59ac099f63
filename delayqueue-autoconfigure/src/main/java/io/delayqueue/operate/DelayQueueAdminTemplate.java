package io.delayqueue.operate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

import io.delayqueue.DeadLetter;
import io.delayqueue.DeadLetterPage;
import io.delayqueue.DeadLetterSelection;
import io.delayqueue.DelayQueueAdmin;
import io.delayqueue.InvalidMessageException;
import io.delayqueue.MessageKey;
import io.delayqueue.lifecycle.Signals;
import io.delayqueue.queue.QueueSettings;
import io.delayqueue.queue.Queues;
import io.delayqueue.store.DeadLetters;
import io.delayqueue.store.DeadLetters.Redrive;
import io.delayqueue.store.DeadLetters.Redriven;
import io.delayqueue.store.Inquiries;
import io.delayqueue.store.Partition;
import org.jspecify.annotations.Nullable;

/**
 * {@link DelayQueueAdmin} on Redis. Works through many dead letters in small steps, so
 * that no script runs long.
 */
public final class DelayQueueAdminTemplate implements DelayQueueAdmin {

	private static final int STEP = 100;

	private static final int LARGEST_PAGE = 1000;

	private final Queues queues;

	private final DeadLetters deadLetters;

	private final Signals signals;

	private final Inquiries inquiries;

	/**
	 * Creates the template.
	 * @param queues the settings of the queues
	 * @param deadLetters the side of Redis
	 * @param signals the wake-ups of this process
	 * @param inquiries repeats calls
	 */
	public DelayQueueAdminTemplate(Queues queues, DeadLetters deadLetters, Signals signals, Inquiries inquiries) {
		this.queues = queues;
		this.deadLetters = deadLetters;
		this.signals = signals;
		this.inquiries = inquiries;
	}

	@Override
	public DeadLetterPage deadLetters(String queue, @Nullable String from, int limit) {
		if (limit < 1 || limit > LARGEST_PAGE) {
			throw new InvalidMessageException("limit", Integer.toString(limit), "from 1 to " + LARGEST_PAGE);
		}
		int partitions = settings(queue).partitions();
		Place place = Place.parse(from, partitions);
		List<DeadLetter> page = new ArrayList<>();
		int number = place.partition();
		long offset = place.offset();
		while (number < partitions) {
			Partition partition = new Partition(queue, number);
			long skipped = offset;
			int wanted = limit - page.size();
			List<DeadLetter> some = this.inquiries.ask(queue, () -> this.deadLetters.list(partition, skipped, wanted));
			page.addAll(some);
			if (page.size() == limit) {
				return new DeadLetterPage(page, new Place(number, offset + some.size()).toString());
			}
			number++;
			offset = 0;
		}
		return new DeadLetterPage(page, null);
	}

	@Override
	public Optional<DeadLetter> deadLetter(MessageKey key) {
		return this.inquiries.ask(key, settings(key.queue()), Optional::isPresent,
				(partition) -> this.deadLetters.find(partition, key.id()));
	}

	@Override
	public boolean redrive(MessageKey key) {
		return this.inquiries.ask(key, settings(key.queue()), (redriven) -> redriven > 0,
				(partition) -> redrive(partition, List.of(new Redrive(key.id(), Duration.ZERO)))) > 0;
	}

	@Override
	public int redrive(DeadLetterSelection selection) {
		return each(selection, (partition, ids) -> {
			List<Redrive> batch = new ArrayList<>(ids.size());
			ids.forEach((id) -> batch.add(new Redrive(id, share(selection))));
			return redrive(partition, batch);
		});
	}

	@Override
	public boolean discard(MessageKey key) {
		QueueSettings settings = settings(key.queue());
		return this.inquiries.ask(key, settings, (discarded) -> discarded > 0, (partition) -> this.deadLetters
			.discard(partition, settings.doneWindowOfGenerated(), List.of(key.id()))) > 0;
	}

	@Override
	public int discard(DeadLetterSelection selection) {
		Duration window = settings(selection.queue()).doneWindowOfGenerated();
		return each(selection, (partition, ids) -> this.deadLetters.discard(partition, window, ids));
	}

	private QueueSettings settings(String queue) {
		return this.queues.settings(queue);
	}

	private int redrive(Partition partition, List<Redrive> batch) {
		Redriven redriven = this.deadLetters.redrive(partition, batch);
		if (redriven.firstDueMillis() >= 0) {
			this.signals.due(partition.queue(), partition.number(), TimeUnit.MICROSECONDS
				.toNanos(Math.max(0, redriven.firstDueMillis() * 1000 - redriven.nowMicros())));
		}
		return redriven.redriven();
	}

	/**
	 * A moment of the selection's spread, at random: no step knows how many there will
	 * be.
	 */
	private static Duration share(DeadLetterSelection selection) {
		long millis = selection.spread().toMillis();
		return Duration.ofMillis((millis > 0) ? ThreadLocalRandom.current().nextLong(millis) : 0);
	}

	/**
	 * Applies an action to what is selected, step by step, until the limit or the end.
	 */
	private int each(DeadLetterSelection selection, BiFunction<Partition, List<String>, Integer> action) {
		int done = 0;
		for (int number = 0; number < settings(selection.queue()).partitions(); number++) {
			Partition partition = new Partition(selection.queue(), number);
			long kept = 0;
			while (done < selection.limit()) {
				long offset = kept;
				List<DeadLetter> step = this.inquiries.ask(selection.queue(),
						() -> this.deadLetters.list(partition, offset, STEP));
				List<String> ids = step.stream()
					.filter((letter) -> selection.reason() == null || letter.reason().equals(selection.reason()))
					.map(DeadLetter::id)
					.limit(selection.limit() - done)
					.toList();
				if (!ids.isEmpty()) {
					done += this.inquiries.ask(selection.queue(), () -> action.apply(partition, ids));
				}
				kept += step.size() - ids.size();
				if (step.size() < STEP) {
					break;
				}
			}
		}
		return done;
	}

	/**
	 * Where a page begins.
	 *
	 * @param partition the partition's number
	 * @param offset how many of its dead letters to skip
	 */
	private record Place(int partition, long offset) {

		static Place parse(@Nullable String text, int partitions) {
			if (text == null) {
				return new Place(0, 0);
			}
			if (text.matches("\\d{1,4}-\\d{1,15}")) {
				int hyphen = text.indexOf('-');
				Place place = new Place(Integer.parseInt(text.substring(0, hyphen)),
						Long.parseLong(text.substring(hyphen + 1)));
				if (place.partition() < partitions) {
					return place;
				}
			}
			throw new InvalidMessageException("from", text.substring(0, Math.min(text.length(), 20)),
					"what the last page said, or null to begin");
		}

		@Override
		public String toString() {
			return this.partition + "-" + this.offset;
		}

	}

}
