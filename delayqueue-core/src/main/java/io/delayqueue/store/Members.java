package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.Partition;
import io.delayqueue.queue.ProcessName;
import org.jspecify.annotations.Nullable;

/**
 * The list of members (processes that consume queues) in Redis. Each method runs one
 * atomic script, is safe to repeat, and throws a {@code StoreException}.
 */
public final class Members {

	/** The time for which a process stays in the list of members without a refresh. */
	public static final Duration TIME_TO_LIVE = Duration.ofMillis(3500);

	private static final String NONE = "";

	/**
	 * A placeholder for the partition in calls about the list of members: the keys of the
	 * list belong to no partition.
	 */
	static final Partition ANY = new Partition("members", 0);

	private final RedisCalls calls;

	private final String own;

	/**
	 * Creates the access to the list of members, with a new name for this process.
	 * @param calls the access to Redis
	 */
	public Members(RedisCalls calls) {
		this(calls, ProcessName.next());
	}

	/**
	 * Creates the access to the list of members.
	 * @param calls the access to Redis
	 * @param own the name of this process
	 */
	public Members(RedisCalls calls, String own) {
		this.calls = calls;
		this.own = own;
	}

	/**
	 * {@return the name of this process}
	 */
	public String own() {
		return this.own;
	}

	/**
	 * A member of the list: a process that consumes queues.
	 *
	 * @param name the name of the process
	 * @param sinceMillis since when the member is in the list, ms since 1970
	 * @param queues the queues that the process consumes, each with the epochs that the
	 * process has read
	 */
	public record Member(String name, long sinceMillis, SortedMap<String, Epochs> queues) {

		/**
		 * Whether the member consumes a partition.
		 * @param partition the partition
		 * @return {@code true} if the member consumes the queue and has read the
		 * partition's epoch
		 */
		public boolean consumes(Partition partition) {
			Epochs epochs = this.queues.get(partition.queue());
			return epochs != null && epochs.contains(partition);
		}

	}

	/**
	 * The reply of Redis to a member that refreshes its place in the list, leaves the
	 * list or reads it.
	 *
	 * @param nowMicros the time of Redis, us since 1970
	 * @param version the version of the list
	 * @param changed whether this call has changed the list
	 * @param epochsVersion the version of the epochs of all queues
	 * @param members the members, in no particular order; {@code null} if the caller
	 * already has this version of the list
	 */
	public record Refreshed(long nowMicros, String version, boolean changed, long epochsVersion,
			@Nullable List<Member> members) {
	}

	/**
	 * Keeps a process in the list of members for another {@link #TIME_TO_LIVE}.
	 * @param name the name of the process
	 * @param queues the queues that the process consumes, each with the epochs that the
	 * process has read
	 * @param version the version of the list that the process has, empty for none
	 * @return the list, if it differs from the version that the caller has
	 */
	public Refreshed refresh(String name, SortedMap<String, Epochs> queues, String version) {
		String text = queues.values().stream().map(Members::words).collect(Collectors.joining(" "));
		return refreshed(this.calls.run(StoreScript.REFRESH_MEMBER, ANY, name, TIME_TO_LIVE, text, version));
	}

	/**
	 * Removes a process from the list of members.
	 * @param name the name of the process
	 * @return the list without the process
	 */
	public Refreshed leave(String name) {
		return refreshed(this.calls.run(StoreScript.REFRESH_MEMBER, ANY, name, 0, NONE, NONE));
	}

	/**
	 * Reads the list of members.
	 * @param version the version of the list that the caller has, empty for none
	 * @return the list, if it differs from the version that the caller has
	 */
	public Refreshed list(String version) {
		return refreshed(this.calls.run(StoreScript.REFRESH_MEMBER, ANY, NONE, 0, NONE, version));
	}

	private static Refreshed refreshed(Reply reply) {
		return new Refreshed(reply.number(1), reply.text(2), reply.number(3) == 1, reply.number(4),
				reply.is("new") ? members(reply) : null);
	}

	private static List<Member> members(Reply reply) {
		int end = 6 + 3 * Math.toIntExact(reply.number(5));
		Map<String, SortedMap<String, Epochs>> consumptions = new HashMap<>();
		for (int at = end; at < reply.size(); at += 2) {
			consumptions.put(reply.text(at), queues(reply.text(at + 1)));
		}
		List<Member> members = new ArrayList<>();
		for (int at = 6; at < end; at += 3) {
			members.add(new Member(reply.text(at), Long.parseLong(reply.text(at + 1)),
					consumptions.getOrDefault(reply.text(at + 2), new TreeMap<>())));
		}
		return members;
	}

	/**
	 * Returns the epochs of a queue as text. Each epoch has two words: the name of the
	 * queue (in a later epoch with a colon and the number of the epoch), and the
	 * partition count. The names of queues have no colon.
	 */
	private static String words(Epochs epochs) {
		return epochs.epochs()
			.stream()
			.map((epoch) -> epochs.queue() + ((epoch.number() > 0) ? ":" + epoch.number() : "") + " "
					+ epoch.partitions())
			.collect(Collectors.joining(" "));
	}

	private static SortedMap<String, Epochs> queues(String text) {
		SortedMap<String, Epochs> queues = new TreeMap<>();
		String[] words = text.isEmpty() ? new String[0] : text.split(" ");
		for (int i = 0; i + 1 < words.length; i += 2) {
			String[] name = words[i].split(":", -1);
			int partitions = Integer.parseInt(words[i + 1]);
			Epoch epoch = new Epoch((name.length > 1) ? Integer.parseInt(name[1]) : 0, partitions, false);
			Epochs known = queues.get(name[0]);
			queues.put(name[0], (known != null) ? known.with(epoch, known.raised())
					: new Epochs(name[0], partitions, List.of(epoch)));
		}
		return queues;
	}

}
