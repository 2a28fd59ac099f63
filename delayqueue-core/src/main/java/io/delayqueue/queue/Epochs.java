package io.delayqueue.queue;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The partition counts of a queue that live side by side. Each change of the count begins
 * an epoch. New messages go to the newest epoch; an older epoch lasts until it is empty.
 *
 * @param queue the queue's name
 * @param raised the highest partition count to which a property has raised the queue;
 * only a higher one raises it again
 * @param epochs the epochs, the oldest one first, at least one
 */
public record Epochs(String queue, int raised, List<Epoch> epochs) {

	/** The most older epochs beside the newest one. */
	public static final int MOST_OLDER = 2;

	private static final String RAISED = ";";

	private static final Pattern EPOCH = Pattern.compile("(?:(\\d{1,9}):)?(\\d{1,4})(\\?)?");

	/**
	 * An epoch.
	 *
	 * @param number 0 for the first epoch of the queue
	 * @param partitions its partition count
	 * @param announced whether it is announced only: consumers read it, and no message is
	 * scheduled in it yet
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
	 * A queue whose partition count has never changed.
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
	 * @throws IllegalArgumentException if it has another form
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
			throw new IllegalArgumentException("'" + text + "' is not an epoch");
		}
		return new Epoch((matcher.group(1) != null) ? Integer.parseInt(matcher.group(1)) : 0,
				Integer.parseInt(matcher.group(2)), matcher.group(3) != null);
	}

	/**
	 * The text for Redis: {@code 12;1,1:8,2:12?} for instance; only the partition count
	 * if it has never changed.
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
	 * Announces an epoch.
	 * @param partitions its partition count
	 * @param raised the new value of {@link #raised()}
	 * @return the epochs with the new one
	 */
	public Epochs announce(int partitions, int raised) {
		return with(new Epoch(newest().number() + 1, partitions, true), raised);
	}

	/**
	 * Adds an epoch.
	 * @param epoch a newer epoch than all others
	 * @param raised the new value of {@link #raised()}
	 * @return the epochs with the new one
	 */
	public Epochs with(Epoch epoch, int raised) {
		return new Epochs(this.queue, raised, Stream.concat(this.epochs.stream(), Stream.of(epoch)).toList());
	}

	/**
	 * The epochs that take the messages which an older epoch does not take any more.
	 * @param number the number of the older epoch
	 * @return all newer ones up to the current one, as text; empty if there is none
	 */
	public String after(int number) {
		return this.epochs.stream()
			.filter((epoch) -> epoch.number() > number && !epoch.announced())
			.map(Epoch::toString)
			.collect(Collectors.joining(","));
	}

	/**
	 * Restores epochs of which the newest one was lost. An announced one is the current
	 * one.
	 * @param named epochs that closed partitions name
	 * @return the epochs with those of them that are newer
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
	 * @return the epochs, of which none is announced only
	 */
	public Epochs activate() {
		return new Epochs(this.queue, this.raised,
				this.epochs.stream().map((epoch) -> new Epoch(epoch.number(), epoch.partitions(), false)).toList());
	}

	/**
	 * Removes an epoch that has ended.
	 * @param number its number
	 * @return the other epochs
	 */
	public Epochs without(int number) {
		return new Epochs(this.queue, this.raised,
				this.epochs.stream().filter((epoch) -> epoch.number() != number).toList());
	}

	/**
	 * The epochs that may hold messages from before the last change.
	 * @return the epochs before the current one
	 */
	public List<Epoch> older() {
		int current = current().number();
		return this.epochs.stream().filter((epoch) -> epoch.number() < current).toList();
	}

	/**
	 * The epoch of new messages.
	 * @return the newest one that is not only announced
	 */
	public Epoch current() {
		int at = this.epochs.size() - 1;
		while (this.epochs.get(at).announced()) {
			at--;
		}
		return this.epochs.get(at);
	}

	/**
	 * The newest epoch.
	 * @return the epoch, which may be announced only
	 */
	public Epoch newest() {
		return this.epochs.get(this.epochs.size() - 1);
	}

	/**
	 * The partitions of all epochs.
	 * @return the partitions, those of the oldest epoch first
	 */
	public List<Partition> partitions() {
		return this.epochs.stream().flatMap((epoch) -> partitions(epoch).stream()).toList();
	}

	/**
	 * The partitions of one epoch.
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
	 * @return {@code false} if its epoch is not known, or has ended
	 */
	public boolean contains(Partition partition) {
		return this.epochs.stream()
			.anyMatch((epoch) -> epoch.number() == partition.epoch() && epoch.partitions() > partition.number());
	}

	/**
	 * Whether a queue had these epochs before other ones.
	 * @param others other epochs of the queue
	 * @return whether they have a newer epoch, or have activated it, or fewer of them
	 * last
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
