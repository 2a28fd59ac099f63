package io.delayqueue.store;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import io.delayqueue.MessageState;
import io.delayqueue.store.DeadLetters.Redrive;
import io.delayqueue.store.DeadLetters.Redriven;
import io.delayqueue.store.Leases.Reclaimed;
import org.jspecify.annotations.Nullable;

/**
 * The calls of reclaimers and operators, for the oracle.
 */
final class OracleUpkeep {

	private final Map<String, OracleMessage> messages;

	private final Map<String, OracleMessage> inFlight;

	private final OracleMemory memory;

	private final OracleGroups groups;

	OracleUpkeep(Map<String, OracleMessage> messages, Map<String, OracleMessage> inFlight, OracleMemory memory,
			OracleGroups groups) {
		this.groups = groups;
		this.messages = messages;
		this.inFlight = inFlight;
		this.memory = memory;
	}

	/** Reclaims all pending messages. */
	List<Reclaimed> reclaim(long nowMicros, int maxCrashes, String reason, boolean countsOn) {
		this.inFlight.clear();
		List<Reclaimed> reclaimed = new ArrayList<>();
		this.messages.values()
			.stream()
			.filter((message) -> message.is(MessageState.PENDING))
			.sorted(Comparator.comparing(OracleMessage::entry, StreamDump::compare))
			.forEach((message) -> {
				message.reclaimed(nowMicros / 1000, maxCrashes, reason);
				if (message.is(MessageState.DEAD)) {
					message.hasSlot(countsOn);
					this.groups.free(message);
				}
				reclaimed.add(
						new Reclaimed(message.storedId(), message.failures().crashes(), message.is(MessageState.DEAD)));
			});
		return reclaimed;
	}

	Redriven redrive(RemovalCall call, List<Redrive> batch, int quota, long nowMicros) {
		Optional<Map<String, Integer>> counts = this.memory.counts(call.token());
		if (counts.isPresent()) {
			return new Redriven(nowMicros, nowMicros / 1000, counts.get().get("redriven"), List.of());
		}
		List<Long> dues = new ArrayList<>();
		List<StoredId> refused = new ArrayList<>();
		for (Redrive redrive : batch) {
			OracleMessage message = deadLetter(redrive.id());
			if (message != null) {
				String group = message.group();
				if (group != null && quota > 0 && !message.hasSlot() && this.groups.count(group) >= quota) {
					refused.add(message.storedId());
					continue;
				}
				long due = nowMicros / 1000 + redrive.delay().toMillis();
				message.redriven(due);
				dues.add(due);
			}
		}
		remember(call, "redriven", dues.size());
		return new Redriven(nowMicros, dues.stream().mapToLong(Long::longValue).min().orElse(-1), dues.size(), refused);
	}

	int discard(RemovalCall call, List<StoredId> ids) {
		Optional<Map<String, Integer>> counts = this.memory.counts(call.token());
		if (counts.isPresent()) {
			return counts.get().get("discarded");
		}
		List<OracleMessage> discarded = ids.stream().map(this::deadLetter).filter(Objects::nonNull).toList();
		remember(call, "discarded", discarded.size());
		discarded.forEach((message) -> {
			this.messages.remove(message.name());
			this.memory.ended(message.token(), call.lasts());
		});
		return discarded.size();
	}

	private void remember(RemovalCall call, String word, int count) {
		if (count > 0) {
			this.memory.forget();
			this.memory.counted(call.token(), Map.of(word, count), call.lasts());
		}
	}

	/**
	 * One redrive, discard or purge call and its repeats.
	 *
	 * @param token its token
	 * @param lasts whether its window lasts, or ends at once
	 */
	record RemovalCall(String token, boolean lasts) {
	}

	private @Nullable OracleMessage deadLetter(StoredId id) {
		OracleMessage message = this.messages.get(Reply.text(id.toBytes()));
		return (message != null && message.is(MessageState.DEAD)) ? message : null;
	}

}
