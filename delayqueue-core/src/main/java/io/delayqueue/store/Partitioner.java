package io.delayqueue.store;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.zip.CRC32;

import io.delayqueue.MessageKey;
import io.delayqueue.queue.Epochs;
import io.delayqueue.queue.Epochs.Epoch;
import io.delayqueue.queue.GeneratedIds;
import io.delayqueue.queue.Partition;
import org.jspecify.annotations.Nullable;

/**
 * Computes the partition of a message. A group determines the partition of its messages.
 * Without a group, a generated id contains the number of the partition, and any other id
 * determines the partition. All processes and versions of the library compute the same
 * partition while the partition count stays the same.
 */
public final class Partitioner {

	private Partitioner() {
	}

	/**
	 * Chooses the partition for a message before its id is generated.
	 * @param group the message's group, {@code null} for none
	 * @param partitions the queue's partition count
	 * @return the partition's number
	 */
	public static int forNew(@Nullable String group, int partitions) {
		if (partitions == 1) {
			return 0;
		}
		return (group != null) ? hash(group, partitions) : ThreadLocalRandom.current().nextInt(partitions);
	}

	/**
	 * Computes the partition of a message with a known id.
	 * @param id the message's id
	 * @param group the message's group, {@code null} for none
	 * @param partitions the queue's partition count
	 * @return the partition's number
	 */
	public static int of(String id, @Nullable String group, int partitions) {
		if (partitions == 1) {
			return 0;
		}
		if (group != null) {
			return hash(group, partitions);
		}
		int carried = GeneratedIds.partitionOf(id);
		return (carried >= 0) ? carried % partitions : hash(id, partitions);
	}

	/**
	 * Lists where to look for the message that a key means, in this order. A key with a
	 * group means one message, which has one partition in each epoch. A key without a
	 * group means the message without a group, and only if no partition has it a message
	 * of any group, which may be in any partition.
	 * @param key the message
	 * @param epochs the queue's epochs
	 * @return the candidates, at least one of each epoch, those of older epochs first
	 */
	public static List<Candidate> candidates(MessageKey key, Epochs epochs) {
		StoredId id = StoredId.of(key);
		Set<Candidate> exact = new LinkedHashSet<>();
		Set<Candidate> ofAnyGroup = new LinkedHashSet<>();
		epochs.epochs().forEach((epoch) -> {
			exact.add(new Candidate(of(key, epoch), id, false));
			if (key.group() == null) {
				exact.add(new Candidate(ofSchedule(key, epoch), id, false));
				ofAnyGroup.add(new Candidate(of(key, epoch), id, true));
				epochs.partitions(epoch).forEach((partition) -> ofAnyGroup.add(new Candidate(partition, id, true)));
			}
		});
		List<Candidate> candidates = new ArrayList<>(exact);
		candidates.addAll(ofAnyGroup);
		return candidates;
	}

	/**
	 * Computes the partition of the recurring schedule whose occurrence a message without
	 * a group may be: its id begins with the key of the schedule and {@code @}, and it is
	 * in the partition of the schedule.
	 */
	private static Partition ofSchedule(MessageKey key, Epoch epoch) {
		int end = key.id().indexOf('@');
		return (end > 0) ? of(MessageKey.of(key.queue(), key.id().substring(0, end)), epoch) : of(key, epoch);
	}

	/**
	 * Computes the partition of a message in one epoch of its queue.
	 * @param key the message
	 * @param epoch the epoch
	 * @return the partition of the message; if the message has a group that the key does
	 * not contain, the message may be in another partition
	 */
	public static Partition of(MessageKey key, Epoch epoch) {
		return new Partition(key.queue(), epoch.number(), of(key.id(), key.group(), epoch.partitions()));
	}

	/**
	 * Lists the partitions that may have messages of a group.
	 * @param group the group key
	 * @param epochs the queue's epochs
	 * @return one partition of each epoch
	 */
	public static List<Partition> ofGroup(String group, Epochs epochs) {
		MessageKey any = MessageKey.of(epochs.queue(), "any").inGroup(group);
		return epochs.epochs().stream().map((epoch) -> of(any, epoch)).toList();
	}

	private static int hash(String text, int partitions) {
		CRC32 crc = new CRC32();
		crc.update(text.getBytes(StandardCharsets.UTF_8));
		return (int) (crc.getValue() % partitions);
	}

}
