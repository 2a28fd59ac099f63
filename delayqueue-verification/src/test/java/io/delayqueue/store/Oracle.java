package io.delayqueue.store;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.delayqueue.MessageKey;
import io.delayqueue.MessageState;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.store.DueMessages.Swept;
import io.delayqueue.store.KnownMessages.CancelAnswer;
import io.delayqueue.store.KnownMessages.Cancelled;
import io.delayqueue.store.KnownMessages.MoveAnswer;
import io.delayqueue.store.KnownMessages.Moved;
import io.delayqueue.store.OracleUpkeep.RemovalCall;
import io.delayqueue.store.Purges.Purged;
import io.delayqueue.store.ReadyMessages.Read;
import io.delayqueue.store.ScheduledMessages.Answers;

/**
 * A model of a partition in memory, derived from the documented guarantees: it computes
 * the expected answer of each call and the expected content of Redis afterwards. The
 * oracle has no clock: the time comes from the answers, and a window either lasts or has
 * ended at once.
 */
final class Oracle {

	/** Since when a partition is paused or draining, ms. */
	static final long SINCE = 1000;

	private final SortedMap<String, OracleMessage> messages = new TreeMap<>();

	/** Undelivered messages, in the order of the stream. */
	private final List<OracleMessage> ready = new ArrayList<>();

	/** Messages that were cancelled while a consumer held them, by their entry. */
	private final SortedMap<String, OracleMessage> inFlight = new TreeMap<>();

	private final OracleMemory memory = new OracleMemory();

	private final OracleGroups groups = new OracleGroups(this.messages);

	private boolean used;

	private boolean paused;

	private boolean draining;

	private boolean hasGroup;

	private String lastDelivered = "0-0";

	Answers schedule(List<NewMessage> call, GroupSettings settings, long nowMicros) {
		OptionalLong head = head();
		OracleProducer.Effects effects = new OracleProducer(this, this.groups, this.memory, settings, nowMicros / 1000,
				this.draining)
			.schedule(call);
		boolean firstUse = !this.used && !effects.dues().isEmpty();
		this.used |= firstUse;
		OptionalLong first = effects.dues().stream().mapToLong(Long::longValue).min();
		boolean newHead = first.isPresent() && OracleTimes.isNewHead(first.getAsLong(), head);
		return new Answers(nowMicros, newHead, firstUse, this.draining ? SINCE : 0, effects.unparked(),
				effects.answers());
	}

	void put(OracleMessage message) {
		this.messages.put(message.name(), message);
	}

	void remove(OracleMessage message) {
		this.messages.remove(message.name());
	}

	/**
	 * The message is no longer ready or pending; a consumer that holds it may continue.
	 */
	void leaveStream(OracleMessage message) {
		this.ready.remove(message);
		if (message.is(MessageState.PENDING)) {
			this.inFlight.put(message.entry(), message.delivery());
		}
	}

	Swept sweep(int batchSize, int highWaterMark, OracleGroups.Limits limits, String behind, long nowMicros) {
		int free = this.paused ? 0 : Math.min(batchSize, highWaterMark - this.ready.size());
		OracleGroups.Admission admission = this.groups.admission(limits, nowMicros / 1000);
		List<OracleMessage> moved = new ArrayList<>();
		List<OracleMessage> parked = new ArrayList<>();
		for (OracleMessage message : scheduled().filter((one) -> one.placeMillis() <= nowMicros / 1000).toList()) {
			if (moved.size() < free) {
				(admission.lets(message) ? moved : parked).add(message);
			}
		}
		String next = admission.findFreeGroups(behind, this.paused);
		moved.forEach(OracleMessage::swept);
		parked.forEach(OracleMessage::parked);
		this.ready.addAll(moved);
		admission.bringBack(batchSize);
		this.memory.forget();
		return new Swept(moved.size(), this.ready.size(), head().orElse(-1), false, parked.size(), next, 0,
				new Read(List.of(), nowMicros, this.paused ? Read.State.PAUSED : Read.State.OPEN));
	}

	/** Stores the entry ids that Redis has assigned. */
	void entries(Map<String, String> entries) {
		this.ready.stream()
			.filter((message) -> message.entry().isEmpty())
			.forEach((message) -> message.entry(entries.getOrDefault(message.name(), "missing")));
	}

	List<OracleMessage> read(String consumer, int count) {
		if (this.paused) {
			return List.of();
		}
		List<OracleMessage> delivered = List.copyOf(this.ready.subList(0, Math.min(count, this.ready.size())));
		this.ready.removeAll(delivered);
		this.hasGroup = true;
		for (OracleMessage message : delivered) {
			message.read(consumer);
			this.lastDelivered = message.entry();
		}
		return delivered;
	}

	/** The settlements of consumers. */
	OracleSettlements settlements() {
		return new OracleSettlements(this, this.messages, this.inFlight, this.memory, this.groups);
	}

	/** The calls of operators and reclaimers. */
	OracleUpkeep repairService() {
		return new OracleUpkeep(this.messages, this.inFlight, this.memory, this.groups);
	}

	CancelAnswer cancel(MessageKey key, String call, boolean windowLasts, long nowMillis) {
		Optional<Cancelled> answered = this.memory.answer(call);
		OracleMessage message = find(key).orElse(null);
		if (message != null && answered.isPresent()) {
			return new CancelAnswer(answered.get(), 0);
		}
		this.memory.forget();
		if (message == null) {
			return new CancelAnswer(answered.orElse(Cancelled.NONE), 0);
		}
		Cancelled answer = switch (message.state()) {
			case PENDING -> Cancelled.IN_FLIGHT;
			case DEAD -> Cancelled.DEAD;
			default -> Cancelled.CANCELLED;
		};
		boolean wasNext = message.isNext(nowMillis);
		remove(message);
		leaveStream(message);
		this.memory.answered(call, answer, windowLasts);
		this.memory.ended(message.token(), windowLasts);
		return new CancelAnswer(answer, this.groups.free(message, wasNext));
	}

	MoveAnswer reschedule(MessageKey key, Due due, String call, boolean windowLasts, long nowMicros) {
		long dueMillis = OracleTimes.dueMillis(due, nowMicros / 1000);
		if (this.memory.hasMoved(call)) {
			return new MoveAnswer(Moved.RESCHEDULED, dueMillis, nowMicros, true, 0);
		}
		OptionalLong head = head();
		OracleMessage message = find(key).orElse(null);
		Moved moved = (message == null) ? Moved.NONE
				: message.is(MessageState.PENDING) ? Moved.IN_FLIGHT
						: message.is(MessageState.DEAD) ? Moved.DEAD : message.expiresBefore(dueMillis) ? Moved.EXPIRES
								: OracleTimes.isTooFar(dueMillis, nowMicros) ? Moved.TOO_FAR : Moved.RESCHEDULED;
		int back = 0;
		if (moved == Moved.RESCHEDULED) {
			boolean wasNext = message.isNext(nowMicros / 1000);
			leaveStream(message);
			message.moved(dueMillis);
			back = this.groups.free(message, wasNext);
			this.memory.forget();
			this.memory.moved(call, windowLasts);
		}
		return new MoveAnswer(moved, dueMillis, nowMicros,
				moved == Moved.RESCHEDULED && OracleTimes.isNewHead(dueMillis, head), back);
	}

	Purged purge(RemovalCall call, List<StoredId> ids, boolean deadLetters) {
		Optional<Map<String, Integer>> counts = this.memory.counts(call.token());
		if (counts.isPresent()) {
			return purged(counts.get());
		}
		Map<MessageState, Integer> removed = new EnumMap<>(MessageState.class);
		List<OracleMessage> gone = new ArrayList<>();
		for (StoredId id : ids) {
			OracleMessage message = this.messages.get(Reply.text(id.toBytes()));
			if (message != null && (deadLetters || !message.is(MessageState.DEAD))) {
				remove(message);
				leaveStream(message);
				removed.merge(message.state(), 1, Integer::sum);
				gone.add(message);
			}
		}
		gone.forEach(this.groups::free);
		Map<String, Integer> counted = Map.of("looked", ids.size(), "waited",
				removed.getOrDefault(MessageState.SCHEDULED, 0) + removed.getOrDefault(MessageState.READY, 0)
						+ removed.getOrDefault(MessageState.PARKED, 0),
				"held", removed.getOrDefault(MessageState.PENDING, 0), "died",
				removed.getOrDefault(MessageState.DEAD, 0));
		if (!gone.isEmpty()) {
			this.memory.forget();
			this.memory.counted(call.token(), counted, call.lasts());
			gone.forEach((message) -> this.memory.ended(message.token(), call.lasts()));
		}
		return purged(counted);
	}

	private static Purged purged(Map<String, Integer> counts) {
		return new Purged(counts.get("looked"), counts.get("waited"), counts.get("held"), counts.get("died"));
	}

	void pause(boolean paused) {
		this.paused = paused;
	}

	void drain(boolean draining) {
		this.draining = draining;
	}

	/** The message without a group comes first, then the one of the first group. */
	Optional<OracleMessage> find(MessageKey key) {
		return this.messages.values()
			.stream()
			.filter((message) -> message.id().equals(key.id()))
			.filter((message) -> key.group() == null || key.group().equals(message.group()))
			.findFirst();
	}

	Optional<OracleMessage> find(NewMessage message) {
		return Optional.ofNullable(this.messages.get(Reply.text(message.storedId().toBytes())));
	}

	long count(MessageState state) {
		return this.messages.values().stream().filter((message) -> message.is(state)).count();
	}

	/** The scheduled messages, in the order in which they will be swept. */
	Stream<OracleMessage> scheduled() {
		return this.messages.values()
			.stream()
			.filter((message) -> message.is(MessageState.SCHEDULED))
			.sorted(Comparator.comparingLong(OracleMessage::placeMillis));
	}

	List<String> undelivered() {
		return this.ready.stream().map(OracleMessage::entry).toList();
	}

	/** Deliveries of cancelled messages. */
	Set<String> inFlight() {
		return this.inFlight.keySet();
	}

	/** The expected content of Redis; times that depend on its clock are 0. */
	PartitionDump expected() {
		ExpectedDump dump = new ExpectedDump();
		this.messages.values().forEach((message) -> message.expect(dump));
		this.inFlight.values().forEach((message) -> message.expectDelivery(dump));
		this.memory.expect(dump);
		SortedMap<String, String> control = new TreeMap<>();
		if (this.used) {
			control.put("layout", TestStore.LAYOUT);
			control.put("partitions", Integer.toString(TestStore.PARTITIONS));
		}
		if (this.paused) {
			control.put("paused", Long.toString(SINCE));
		}
		if (this.draining) {
			control.put("draining", Long.toString(SINCE));
		}
		dump.control(control);
		if (this.hasGroup) {
			dump.delivered(this.lastDelivered);
		}
		return dump.build();
	}

	OptionalLong head() {
		return scheduled().mapToLong(OracleMessage::placeMillis).findFirst();
	}

}
