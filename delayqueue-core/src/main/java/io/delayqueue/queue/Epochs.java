package io.delayqueue.queue;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The epochs of a queue that exist at the same time. An epoch is the set of partitions of
 * one partition count; each change of the partition count begins an epoch. New messages
 * go to the current epoch; an older epoch exists until its partitions are empty.
 *
 * @param queue the queue's name
 * @param raised the highest partition count that the queue has got from a property; a
 * property changes the partition count again only if its value is higher
 * @param epochs the epochs, the oldest epoch first, at least one
 */
public record Epochs(String queue, int raised, List<Epoch> epochs) {

	/** The most older epochs that a queue may have besides its newest epoch. */
	public static final int MOST_OLDER = 2;

	private static final String RAISED = ";";

	private static final Pattern EPOCH = Pattern.compile("(?:(\\d{1,9}):)?(\\d{1,4})(\\?)?");

	/**
	 * One epoch: the partitions of one partition count.
	 *
	 * @param number the number of the epoch, 0 for the first epoch of the queue
	 * @param partitions the number of partitions of the epoch
	 * @param announced whether the epoch is only announced: consumers read its
	 * partitions, but producers do not schedule messages in these partitions yet
	 */
	public record Epoch(int number, int partitions, boolean announced) {

		@Override
		public String toString() {
			return ((this.number == 0) ? "" : this.number + ":") + this.partitions + (this.announced ? "?" : "");
		}

	}

	/** Copies the list of epochs. */
	public Epochs {
		epochs = List.copyOf(epochs);
	}

	/**
	 * Returns the epochs of a queue whose partition count has never changed.
	 * @param queue the queue's name
	 * @param partitions the partition count of the queue
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
	 * Returns the text that Redis stores: {@link #raised()} and the epochs, for example
	 * {@code 12;1,1:8,2:12?}. If the partition count has never changed, the text is only
	 * the partition count.
	 * @return the text
	 */
	public String text() {
		String all = this.epochs.stream().map(Epoch::toString).collect(Collectors.joining(","));
		return isFirst() ? all : this.raised + RAISED + all;
	}

	/**
	 * Whether the partition count of the queue has never changed.
	 * @return {@code true} if the queue has its first epoch only
	 */
	public boolean isFirst() {
		return newest().number() == 0 && this.raised == newest().partitions();
	}

	/**
	 * Returns these epochs with a further epoch, which is only announced.
	 * @param partitions the partition count of the new epoch
	 * @param raised the new value of {@link #raised()}
	 * @return the epochs, including the new epoch
	 */
	public Epochs announce(int partitions, int raised) {
		return with(new Epoch(newest().number() + 1, partitions, true), raised);
	}

	/**
	 * Returns these epochs with a further epoch.
	 * @param epoch an epoch with a higher number than these epochs have
	 * @param raised the new value of {@link #raised()}
	 * @return the epochs, including the new epoch
	 */
	public Epochs with(Epoch epoch, int raised) {
		return new Epochs(this.queue, raised, Stream.concat(this.epochs.stream(), Stream.of(epoch)).toList());
	}

	/**
	 * Returns the newer epochs to which a producer sends a message after a closed
	 * partition of an older epoch has refused the message.
	 * @param number the number of the older epoch
	 * @return all newer epochs up to the current epoch, as text; empty if there is no
	 * newer epoch
	 */
	public String after(int number) {
		return this.epochs.stream()
			.filter((epoch) -> epoch.number() > number && !epoch.announced())
			.map(Epoch::toString)
			.collect(Collectors.joining(","));
	}

	/**
	 * Restores newer epochs that the hash {@code epochs} has lost by a failover: adds the
	 * newer epochs that closed partitions still name in their key {@code control}. An
	 * announced epoch becomes the current epoch.
	 * @param named the newer epochs that are stored in closed partitions
	 * @return the epochs, including the named epochs that are newer
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
	 * {@return these epochs with the newest epoch as the current epoch, even if the
	 * newest epoch was only announced}
	 */
	public Epochs activate() {
		return new Epochs(this.queue, this.raised,
				this.epochs.stream().map((epoch) -> new Epoch(epoch.number(), epoch.partitions(), false)).toList());
	}

	/**
	 * Returns these epochs without an epoch that has ended.
	 * @param number the number of the epoch
	 * @return the other epochs
	 */
	public Epochs without(int number) {
		return new Epochs(this.queue, this.raised,
				this.epochs.stream().filter((epoch) -> epoch.number() != number).toList());
	}

	/**
	 * Returns the older epochs, which may have messages from before the last change of
	 * the partition count.
	 * @return the epochs before the current epoch
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
	 * {@return the newest epoch of the queue, which may be only announced}
	 */
	public Epoch newest() {
		return this.epochs.get(this.epochs.size() - 1);
	}

	/**
	 * {@return the partitions of all epochs, beginning with those of the oldest epoch}
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
	 * @return {@code false} if these epochs do not include the epoch of the partition,
	 * which may have ended
	 */
	public boolean contains(Partition partition) {
		return this.epochs.stream()
			.anyMatch((epoch) -> epoch.number() == partition.epoch() && epoch.partitions() > partition.number());
	}

	/**
	 * Whether these epochs are an earlier state of the queue's epochs than the given
	 * ones.
	 * @param others another state of the epochs of the queue
	 * @return {@code true} if the other state has a newer epoch, or has made the newest
	 * epoch the current epoch, or has fewer older epochs left
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
