package io.delayqueue.store;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
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
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.delayqueue.MessageState;
import io.delayqueue.store.Purges.Purged;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ReadyMessages.Retried;
import io.delayqueue.store.ReadyMessages.Settled;
import io.delayqueue.store.ReadyMessages.Swept;
import io.delayqueue.store.ScheduledMessages.Answer;
import io.delayqueue.store.ScheduledMessages.Answers;
import io.delayqueue.store.ScheduledMessages.Cancelled;
import io.delayqueue.store.ScheduledMessages.MoveAnswer;
import io.delayqueue.store.ScheduledMessages.Moved;
import io.delayqueue.store.ScheduledMessages.NewMessage;
import io.delayqueue.store.ScheduledMessages.Stored;

/**
 * A partition in memory, written down from what is promised: says what each call has to
 * answer, and what Redis has to hold afterwards. It has no clock: the time comes from the
 * answers, and a window either lasts or has ended at once.
 */
final class Oracle {

	/** Since when a partition is paused or draining, ms. */
	static final long SINCE = 1000;

	private final SortedMap<String, OracleMessage> messages = new TreeMap<>();

	/** What nobody has yet, in the order of the stream. */
	private final List<OracleMessage> ready = new ArrayList<>();

	/** Messages that were cancelled while a consumer had them, by their entry. */
	private final SortedMap<String, OracleMessage> inFlight = new TreeMap<>();

	private final OracleMemory memory = new OracleMemory();

	private boolean used;

	private boolean paused;

	private boolean draining;

	private boolean hasGroup;

	private String lastDelivered = "0-0";

	Answers schedule(List<NewMessage> call, long nowMicros) {
		OptionalLong head = head();
		List<OracleMessage> created = new ArrayList<>();
		List<Answer> answers = new ArrayList<>();
		for (NewMessage message : call) {
			String envelope = new String(message.envelope(), StandardCharsets.UTF_8);
			long due = dueMillis(message.due(), nowMicros);
			OracleMessage stored = new OracleMessage(message.id(), envelope, due);
			OracleMessage known = this.messages.get(message.id());
			boolean twice = created.stream().anyMatch((other) -> other.id().equals(message.id()));
			Stored answer = twice ? Stored.DUPLICATE : answer(stored, known, nowMicros);
			if (answer == Stored.CREATED && known == null) {
				this.messages.put(stored.id(), stored);
				created.add(stored);
			}
			answers.add(new Answer(answer, switch (answer) {
				case CREATED -> this.messages.get(message.id()).dueMillis();
				case ENDED, SUPERSEDED -> message.due().toString().startsWith("+") ? -1 : due;
				default -> 0;
			}, List.of()));
		}
		boolean firstUse = !this.used && !created.isEmpty();
		this.used |= firstUse;
		OptionalLong first = created.stream().mapToLong(OracleMessage::dueMillis).min();
		boolean newHead = first.isPresent() && isNewHead(first.getAsLong(), head);
		return new Answers(nowMicros, newHead, firstUse, this.draining ? SINCE : 0, 0, answers);
	}

	private Stored answer(OracleMessage message, OracleMessage known, long nowMicros) {
		boolean accepted = this.memory.isEnded(message.token());
		if (known != null && known.token().equals(message.token())) {
			return Stored.CREATED;
		}
		if (accepted) {
			return (known != null) ? Stored.SUPERSEDED : Stored.ENDED;
		}
		if (known != null) {
			return known.is(MessageState.DEAD) ? Stored.DEAD : Stored.DUPLICATE;
		}
		if (this.memory.isFinished(message.id())) {
			return Stored.DONE;
		}
		if (isTooFar(message.dueMillis(), nowMicros)) {
			return Stored.TOO_FAR;
		}
		return this.draining ? Stored.DRAINING : Stored.CREATED;
	}

	Swept sweep(int batchSize, int highWaterMark, long nowMicros) {
		int room = this.paused ? 0 : Math.min(batchSize, highWaterMark - this.ready.size());
		List<OracleMessage> due = scheduled().filter((message) -> message.placeMillis() <= nowMicros / 1000)
			.limit(Math.max(room, 0))
			.toList();
		due.forEach(OracleMessage::swept);
		this.ready.addAll(due);
		this.memory.forget();
		return new Swept(due.size(), this.ready.size(), head().orElse(-1), nowMicros, this.paused, false, 0, "");
	}

	/** Takes over the entries that Redis has chosen. */
	void entries(Map<String, String> entries) {
		this.ready.stream()
			.filter((message) -> message.entry().isEmpty())
			.forEach((message) -> message.entry(entries.getOrDefault(message.id(), "missing")));
	}

	List<OracleMessage> read(String consumer, int count) {
		List<OracleMessage> delivered = List.copyOf(this.ready.subList(0, Math.min(count, this.ready.size())));
		this.ready.removeAll(delivered);
		this.hasGroup = true;
		for (OracleMessage message : delivered) {
			message.read(consumer);
			this.lastDelivered = message.entry();
		}
		return delivered;
	}

	List<Settled> acknowledge(List<Entry> batch, boolean windowLasts) {
		return settle(batch, true, (message) -> {
			this.messages.remove(message.id());
			this.memory.finished(message.id(), windowLasts);
			this.memory.ended(message.token(), windowLasts);
		});
	}

	List<Settled> release(List<Entry> batch, long dueMillis) {
		return settle(batch, false, (message) -> message.released(dueMillis));
	}

	List<Settled> deadLetter(Entry entry, String reason) {
		return settle(List.of(entry), true, (message) -> message.deadLettered(reason));
	}

	Retried retry(Entry entry, Duration wait, String reason, long nowMicros) {
		OptionalLong head = head();
		long due = nowMicros / 1000 + wait.toMillis();
		Settled settled = settle(List.of(entry), true, (message) -> {
			if (reason != null) {
				message.retried(due, reason);
			}
			else {
				message.deferred(due);
			}
		}).get(0);
		boolean counted = settled == Settled.COUNTED;
		return new Retried(settled, counted ? due : 0, nowMicros, counted && isNewHead(due, head), 0);
	}

	/** What operators and reclaimers do. */
	OracleUpkeep upkeep() {
		return new OracleUpkeep(this.messages, this.inFlight, this.memory);
	}

	private List<Settled> settle(List<Entry> batch, boolean knowsItsOwn, Consumer<OracleMessage> settlement) {
		List<Settled> answers = new ArrayList<>();
		List<OracleMessage> settled = new ArrayList<>();
		for (Entry entry : batch) {
			OracleMessage message = this.messages.get(entry.id());
			if (message != null && message.isHeldBy(entry.entry())) {
				settled.add(message);
				answers.add(Settled.COUNTED);
			}
			else {
				boolean before = message != null && knowsItsOwn && message.isSettledBy(entry.entry());
				answers.add((message == null || before) ? Settled.GONE : Settled.SUPERSEDED);
			}
			this.inFlight.remove(entry.entry());
		}
		settled.forEach(settlement);
		return answers;
	}

	Cancelled cancel(String id, String call, boolean windowLasts) {
		Optional<Cancelled> said = this.memory.answer(call);
		if (said.isPresent() && this.messages.containsKey(id)) {
			return said.get();
		}
		this.memory.forget();
		OracleMessage message = this.messages.remove(id);
		if (message == null) {
			return said.orElse(Cancelled.NONE);
		}
		Cancelled answer = switch (message.state()) {
			case PENDING -> Cancelled.IN_FLIGHT;
			case DEAD -> Cancelled.DEAD;
			default -> Cancelled.CANCELLED;
		};
		this.ready.remove(message);
		if (answer == Cancelled.IN_FLIGHT) {
			this.inFlight.put(message.entry(), message);
		}
		this.memory.answered(call, answer, windowLasts);
		this.memory.ended(message.token(), windowLasts);
		return answer;
	}

	MoveAnswer reschedule(String id, Due due, String call, boolean windowLasts, long nowMicros) {
		long dueMillis = dueMillis(due, nowMicros);
		if (this.memory.hasMoved(call)) {
			return new MoveAnswer(Moved.RESCHEDULED, dueMillis, nowMicros, true, 0);
		}
		OptionalLong head = head();
		OracleMessage message = this.messages.get(id);
		Moved moved = (message == null) ? Moved.NONE
				: message.is(MessageState.PENDING) ? Moved.IN_FLIGHT : message.is(MessageState.DEAD) ? Moved.DEAD
						: isTooFar(dueMillis, nowMicros) ? Moved.TOO_FAR : Moved.RESCHEDULED;
		if (moved == Moved.RESCHEDULED) {
			this.ready.remove(message);
			message.moved(dueMillis);
			this.memory.forget();
			this.memory.moved(call, windowLasts);
		}
		return new MoveAnswer(moved, dueMillis, nowMicros, moved == Moved.RESCHEDULED && isNewHead(dueMillis, head), 0);
	}

	Purged purge(List<String> ids, boolean deadLetters, boolean windowLasts) {
		Map<MessageState, Integer> removed = new EnumMap<>(MessageState.class);
		for (String id : ids) {
			OracleMessage message = this.messages.get(id);
			if (message != null && (deadLetters || !message.is(MessageState.DEAD))) {
				this.messages.remove(id);
				this.ready.remove(message);
				if (message.is(MessageState.PENDING)) {
					this.inFlight.put(message.entry(), message);
				}
				this.memory.ended(message.token(), windowLasts);
				removed.merge(message.state(), 1, Integer::sum);
			}
		}
		return new Purged(ids.size(),
				removed.getOrDefault(MessageState.SCHEDULED, 0) + removed.getOrDefault(MessageState.READY, 0),
				removed.getOrDefault(MessageState.PENDING, 0), removed.getOrDefault(MessageState.DEAD, 0));
	}

	void pause(boolean paused) {
		this.paused = paused;
	}

	void drain(boolean draining) {
		this.draining = draining;
	}

	Optional<OracleMessage> find(String id) {
		return Optional.ofNullable(this.messages.get(id));
	}

	long count(MessageState state) {
		return this.messages.values().stream().filter((message) -> message.is(state)).count();
	}

	/** What waits, in the order in which it will be swept. */
	Stream<OracleMessage> scheduled() {
		return this.messages.values()
			.stream()
			.filter((message) -> message.is(MessageState.SCHEDULED))
			.sorted(Comparator.comparingLong(OracleMessage::placeMillis));
	}

	List<String> undelivered() {
		return this.ready.stream().map(OracleMessage::entry).toList();
	}

	/** Deliveries of messages that are cancelled. */
	Set<String> inFlight() {
		return this.inFlight.keySet();
	}

	/** What Redis has to hold; times that depend on its clock are 0. */
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

	private OptionalLong head() {
		return scheduled().mapToLong(OracleMessage::placeMillis).findFirst();
	}

	private static boolean isNewHead(long dueMillis, OptionalLong head) {
		return head.isEmpty() || dueMillis < head.getAsLong();
	}

	private static long dueMillis(Due due, long nowMicros) {
		String form = due.toString();
		return form.startsWith("+") ? nowMicros / 1000 + Long.parseLong(form.substring(1)) : Long.parseLong(form);
	}

	private static boolean isTooFar(long dueMillis, long nowMicros) {
		return dueMillis > nowMicros / 1000 + TestStore.MAX_DELAY.toMillis();
	}

}
