package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * The processes that consume queues, as Redis lists them. Each method is one atomic
 * script, safe to repeat, and throws a {@code StoreException}.
 */
public final class Members {

	/** How long a process stays in the list without a refresh. */
	public static final Duration TIME_TO_LIVE = Duration.ofSeconds(6);

	private static final String NONE = "";

	/** The list has keys of its own, whatever the partition. */
	private static final Partition ANY = new Partition("members", 0);

	private final RedisCalls calls;

	/**
	 * Creates the access.
	 * @param calls the way to Redis
	 */
	public Members(RedisCalls calls) {
		this.calls = calls;
	}

	/**
	 * A process that consumes queues.
	 *
	 * @param name its name
	 * @param sinceMillis since when it is listed, ms since 1970
	 * @param queues the queues that it consumes, with the partition count of each
	 */
	public record Member(String name, long sinceMillis, SortedMap<String, Integer> queues) {
	}

	/**
	 * The answer to a refresh.
	 *
	 * @param nowMicros the time of Redis
	 * @param version the version of the list
	 * @param changed whether this call has changed the list
	 * @param members the list, in no particular order; {@code null} if the caller has
	 * this version
	 */
	public record Refreshed(long nowMicros, String version, boolean changed, @Nullable List<Member> members) {
	}

	/**
	 * Keeps a process in the list.
	 * @param name its name
	 * @param queues what it consumes, with the partition count of each queue
	 * @param version the version of the list that it has, empty for none
	 * @return the answer
	 */
	public Refreshed refresh(String name, SortedMap<String, Integer> queues, String version) {
		String text = queues.entrySet()
			.stream()
			.map((queue) -> queue.getKey() + " " + queue.getValue())
			.collect(Collectors.joining(" "));
		return refreshed(this.calls.run(StoreScript.REFRESH_MEMBER, ANY, name, TIME_TO_LIVE, text, version));
	}

	/**
	 * Removes a process from the list.
	 * @param name its name
	 * @return the answer
	 */
	public Refreshed leave(String name) {
		return refreshed(this.calls.run(StoreScript.REFRESH_MEMBER, ANY, name, 0, NONE, NONE));
	}

	/**
	 * Reads the list.
	 * @param version the version of the list that the caller has, empty for none
	 * @return the answer
	 */
	public Refreshed list(String version) {
		return refreshed(this.calls.run(StoreScript.REFRESH_MEMBER, ANY, NONE, 0, NONE, version));
	}

	private static Refreshed refreshed(Reply reply) {
		return new Refreshed(reply.number(1), reply.text(2), reply.number(3) == 1,
				reply.is("new") ? members(reply) : null);
	}

	private static List<Member> members(Reply reply) {
		int end = 5 + 3 * Math.toIntExact(reply.number(4));
		Map<String, SortedMap<String, Integer>> consumptions = new HashMap<>();
		for (int at = end; at < reply.size(); at += 2) {
			consumptions.put(reply.text(at), queues(reply.text(at + 1)));
		}
		List<Member> members = new ArrayList<>();
		for (int at = 5; at < end; at += 3) {
			members.add(new Member(reply.text(at), Long.parseLong(reply.text(at + 1)),
					consumptions.getOrDefault(reply.text(at + 2), new TreeMap<>())));
		}
		return members;
	}

	private static SortedMap<String, Integer> queues(String text) {
		SortedMap<String, Integer> queues = new TreeMap<>();
		String[] words = text.isEmpty() ? new String[0] : text.split(" ");
		for (int i = 0; i + 1 < words.length; i += 2) {
			queues.put(words[i], Integer.valueOf(words[i + 1]));
		}
		return queues;
	}

}
