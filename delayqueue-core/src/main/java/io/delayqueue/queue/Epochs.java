package io.delayqueue.queue;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The epochs of a queue that exist side by side. An epoch is the partitions of one
 * partition count; each change of the count begins one. New messages go to the newest
 * epoch; an older epoch lasts until it is empty.
 *
 * @param queue the queue's name
 * @param raised the highest partition count that a property has given the queue; only a
 * higher value of the property changes the count again
 * @param epochs the epochs, the oldest one first, at least one
 */
public record Epochs(String queue, int raised, List<Epoch> epochs) {

	/** The most older epochs beside the newest one. */
	public static final int MOST_OLDER = 2;

	private static final String RAISED = ";";

	private static final Pattern EPOCH = Pattern.compile("(?:(\\d{1,9}):)?(\\d{1,4})(\\?)?");

	/**
	 * One epoch: the partitions of one partition count.
	 *
	 * @param number 0 for the first epoch of the queue
	 * @param partitions its partition count
	 * @param announced whether it is only announced: consumers read its partitions, but
	 * producers do not schedule messages in them yet
	 */
	public record Epoch(int number, int partitions, boolean announced) {

		@Override
		public String toString() {
			return ((this.number == 0) ? "" : this.number + ":") + this.partitions + (this.announced ? "?" : "");
		}

	}

	/**
	 * Makes an immutable copy.
	 */
	public Epochs {
		epochs = List.copyOf(epochs);
	}

	/**
	 * Returns the epochs of a queue whose partition count has never changed.
	 * @param queue the queue's name
	 * @param partitions its partition count
	 * @return one epoch
	 */
	public static Epochs first(String queue, int partitions) {
		return new Epochs(queue, partitions, List.of(new Epoch(0, partitions, false)));
	}

	/**
	 * Reads the text that {@link #text()} returns.
	 * @param queue the queue's name
	 * @param text the text
	 * @return the epochs
	 * @throws IllegalArgumentException if the text has another form
	 */
	public static Epochs from(String queue, String text) {
		int end = text.indexOf(RAISED);
		List<Epoch> epochs = Arrays.stream(text.substring(end + 1).split(",")).map(Epochs::epoch).toList();
		return new Epochs(queue, (end < 0) ? epochs.get(0).partitions() : Integer.parseInt(text.substring(0, end)),
				epochs);
	}

	private static Epoch epoch(String text) {
		Matcher matcher = EPOCH.matcher(text);
		if (!matcher.matches() || !QueueSettings.PARTITIONS.contains(Integer.valueOf(matcher.group(2)))) {
			throw new IllegalArgumentException("'" + text + "' is not an epoch of a queue");
		}
		return new Epoch((matcher.group(1) != null) ? Integer.parseInt(matcher.group(1)) : 0,
				Integer.parseInt(matcher.group(2)), matcher.group(3) != null);
	}

	/**
	 * Returns the text to store in Redis: {@code 12;1,1:8,2:12?} for instance; only the
	 * partition count if that has never changed.
	 * @return the text
	 */
	public String text() {
		String all = this.epochs.stream().map(Epoch::toString).collect(Collectors.joining(","));
		return isFirst() ? all : this.raised + RAISED + all;
	}

	/**
	 * Whether the partition count has never changed.
	 * @return {@code true} if there is the first epoch only
	 */
	public boolean isFirst() {
		return newest().number() == 0 && this.raised == newest().partitions();
	}

	/**
	 * Adds an announced epoch.
	 * @param partitions the partition count of the new epoch
	 * @param raised the new value of {@link #raised()}
	 * @return the epochs with the new one
	 */
	public Epochs announce(int partitions, int raised) {
		return with(new Epoch(newest().number() + 1, partitions, true), raised);
	}

	/**
	 * Adds an epoch.
	 * @param epoch an epoch with a higher number than these epochs have
	 * @param raised the new value of {@link #raised()}
	 * @return the epochs with the new one
	 */
	public Epochs with(Epoch epoch, int raised) {
		return new Epochs(this.queue, raised, Stream.concat(this.epochs.stream(), Stream.of(epoch)).toList());
	}

	/**
	 * Returns the epochs that take the messages which a closed partition of an older
	 * epoch refuses.
	 * @param number the number of the older epoch
	 * @return all newer epochs up to the current one, as text; empty if there is none
	 */
	public String after(int number) {
		return this.epochs.stream()
			.filter((epoch) -> epoch.number() > number && !epoch.announced())
			.map(Epoch::toString)
			.collect(Collectors.joining(","));
	}

	/**
	 * Adds the epochs that Redis has lost, and makes an announced epoch the current one.
	 * @param named the epochs that closed partitions name
	 * @return the epochs, with the named ones that are newer
	 */
	public Epochs restore(List<Epoch> named) {
		Epochs restored = activate();
		for (Epoch epoch : named) {
			if (epoch.number() > restored.newest().number()) {
				restored = restored.with(epoch, Math.max(restored.raised(), epoch.partitions()));
			}
		}
		return restored;
	}

	/**
	 * Makes an announced epoch the current one.
	 * @return the epochs, of which none is only announced
	 */
	public Epochs activate() {
		return new Epochs(this.queue, this.raised,
				this.epochs.stream().map((epoch) -> new Epoch(epoch.number(), epoch.partitions(), false)).toList());
	}

	/**
	 * Removes an epoch that has ended.
	 * @param number the number of the epoch
	 * @return the other epochs
	 */
	public Epochs without(int number) {
		return new Epochs(this.queue, this.raised,
				this.epochs.stream().filter((epoch) -> epoch.number() != number).toList());
	}

	/**
	 * Returns the older epochs, which may have messages from before the last change.
	 * @return the epochs before the current one
	 */
	public List<Epoch> older() {
		int current = current().number();
		return this.epochs.stream().filter((epoch) -> epoch.number() < current).toList();
	}

	/**
	 * Returns the current epoch, which takes new messages.
	 * @return the newest epoch that is not only announced
	 */
	public Epoch current() {
		int at = this.epochs.size() - 1;
		while (this.epochs.get(at).announced()) {
			at--;
		}
		return this.epochs.get(at);
	}

	/**
	 * Returns the newest epoch.
	 * @return the epoch, which may be only announced
	 */
	public Epoch newest() {
		return this.epochs.get(this.epochs.size() - 1);
	}

	/**
	 * Returns the partitions of all epochs.
	 * @return the partitions, those of the oldest epoch first
	 */
	public List<Partition> partitions() {
		return this.epochs.stream().flatMap((epoch) -> partitions(epoch).stream()).toList();
	}

	/**
	 * Returns the partitions of one epoch.
	 * @param epoch the epoch
	 * @return the partitions, in the order of their numbers
	 */
	public List<Partition> partitions(Epoch epoch) {
		return IntStream.range(0, epoch.partitions())
			.mapToObj((number) -> new Partition(this.queue, epoch.number(), number))
			.toList();
	}

	/**
	 * Whether a partition belongs to one of the epochs.
	 * @param partition a partition of the queue
	 * @return {@code false} if these epochs do not include its epoch, which may have
	 * ended
	 */
	public boolean contains(Partition partition) {
		return this.epochs.stream()
			.anyMatch((epoch) -> epoch.number() == partition.epoch() && epoch.partitions() > partition.number());
	}

	/**
	 * Whether these epochs are an earlier state of the queue than other epochs.
	 * @param others another state of the epochs of the queue
	 * @return {@code true} if the other epochs have a newer one, or have made the newest
	 * one current, or have fewer older ones left
	 */
	public boolean precedes(Epochs others) {
		int newer = Integer.compare(newest().number(), others.newest().number());
		if (newer != 0) {
			return newer < 0;
		}
		return (newest().announced() && !others.newest().announced())
				|| (newest().announced() == others.newest().announced() && this.epochs.size() > others.epochs().size());
	}

	@Override
	public String toString() {
		return text();
	}

}
