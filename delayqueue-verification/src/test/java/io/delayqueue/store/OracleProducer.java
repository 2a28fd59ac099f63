package io.delayqueue.store;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.delayqueue.DuplicatePolicy.Kind;
import io.delayqueue.MessageState;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.record.CallToken;
import io.delayqueue.store.ScheduledMessages.Answer;
import io.delayqueue.store.ScheduledMessages.Stored;

/**
 * The result of one schedule call, for the oracle: first the answer for each message,
 * then the changes.
 */
final class OracleProducer {

	private static final int MOST_DROPPED = 2;

	private final Oracle oracle;

	private final OracleGroups groups;

	private final OracleMemory memory;

	private final GroupSettings settings;

	private final long nowMillis;

	private final boolean draining;

	private final Set<String> taken = new HashSet<>();

	/** The places of messages in the call that were replaced or have ended since. */
	private final Set<Integer> late = new HashSet<>();

	/** The messages that an earlier run of the call has stored. */
	private final Set<String> takenBefore = new HashSet<>();

	/** The messages to store, by their number in the call. */
	private final Map<Integer, Plan> plans = new LinkedHashMap<>();

	private final Map<OracleMessage, NewMessage> repeated = new LinkedHashMap<>();

	private final List<OracleMessage> dropped = new ArrayList<>();

	private final List<List<String>> droppedFor = new ArrayList<>();

	private final Map<String, Long> counts = new HashMap<>();

	/** The planned writes of a message. */
	private record Plan(NewMessage message, String envelope, long dueMillis, OracleMessage known, boolean wasNext) {
	}

	/** The answers and other effects. */
	record Effects(List<Answer> answers, List<Long> dues, int unparked) {
	}

	OracleProducer(Oracle oracle, OracleGroups groups, OracleMemory memory, GroupSettings settings, long nowMillis,
			boolean draining) {
		this.oracle = oracle;
		this.groups = groups;
		this.memory = memory;
		this.settings = settings;
		this.nowMillis = nowMillis;
		this.draining = draining;
	}

	Effects schedule(List<NewMessage> call) {
		List<Stored> stored = new ArrayList<>();
		List<Long> dues = new ArrayList<>();
		for (int n = 0; n < call.size(); n++) {
			this.droppedFor.add(new ArrayList<>());
			NewMessage message = call.get(n);
			Stored answer = answer(n, message);
			stored.add(answer);
			dues.add(switch (answer) {
				case CREATED, REPLACED, POSTPONED, ENDED, SUPERSEDED -> dueMillis(n, message);
				default -> 0L;
			});
		}
		List<Answer> answers = new ArrayList<>();
		for (int n = 0; n < call.size(); n++) {
			answers.add(new Answer(stored.get(n), dues.get(n), this.droppedFor.get(n)));
		}
		return new Effects(answers, this.plans.values().stream().map(Plan::dueMillis).toList(), apply());
	}

	private long dueMillis(int n, NewMessage message) {
		if (this.plans.containsKey(n)) {
			return this.plans.get(n).dueMillis();
		}
		if (!this.late.contains(n)) {
			return this.oracle.find(message).orElseThrow().dueMillis();
		}
		boolean isUnknown = kind(message) == Kind.POSTPONE || message.due().toString().startsWith("+");
		return isUnknown ? -1L : requestedDue(message);
	}

	/**
	 * The answer to a repeat of a call whose message was replaced or has ended since.
	 */
	private Stored lateAnswer(int n, NewMessage message, String token, Stored orElse) {
		this.takenBefore.add(name(message));
		this.late.add(n);
		Stored first = this.memory.stored(token);
		return (first != Stored.CREATED) ? first : orElse;
	}

	private Stored answer(int n, NewMessage message) {
		if (this.taken.contains(name(message))) {
			return Stored.DUPLICATE;
		}
		String envelope = new String(message.envelope(), StandardCharsets.UTF_8);
		String token = envelope.substring(0, CallToken.LENGTH);
		boolean accepted = this.memory.isEnded(token);
		OracleMessage known = this.oracle.find(message).orElse(null);
		Kind kind = kind(message);
		if (known != null) {
			if (known.token().equals(token)) {
				this.taken.add(name(message));
				if (kind == Kind.REPLACE || kind == Kind.POSTPONE) {
					this.repeated.put(known, message);
				}
				return this.memory.stored(token);
			}
			if (accepted) {
				return lateAnswer(n, message, token, Stored.SUPERSEDED);
			}
			if (this.takenBefore.contains(name(message))) {
				return Stored.DUPLICATE;
			}
			boolean dead = known.is(MessageState.DEAD);
			if (kind == Kind.KEEP || (dead && kind != Kind.REPLACE)) {
				return dead ? Stored.DEAD : Stored.DUPLICATE;
			}
			if (kind == Kind.FAIL) {
				return Stored.valueOf(known.state().name());
			}
		}
		else if (accepted) {
			return lateAnswer(n, message, token, Stored.ENDED);
		}
		else if (this.takenBefore.contains(name(message))) {
			return Stored.DUPLICATE;
		}
		else if (message.onDuplicate() != null && (kind == Kind.KEEP || kind == Kind.FAIL)
				&& this.memory.isFinished(name(message))) {
			return Stored.DONE;
		}
		return admit(n, message, envelope, known);
	}

	private Stored admit(int n, NewMessage message, String envelope, OracleMessage known) {
		long due = requestedDue(message);
		if (kind(message) == Kind.POSTPONE) {
			long latest = this.nowMillis + message.onDuplicate().limit().orElseThrow().toMillis();
			if (known != null && !known.is(MessageState.PENDING)) {
				latest = known.latest().orElse(latest);
				due = Math.max(due, known.dueMillis());
			}
			due = Math.min(due, latest);
			envelope = envelope.replaceFirst("\"latest\":\"0{16}", "\"latest\":\"%016d".formatted(latest));
		}
		if (due > this.nowMillis + TestStore.MAX_DELAY.toMillis()) {
			return Stored.TOO_FAR;
		}
		String expiry = message.expiry().toString();
		if (!expiry.isEmpty() && !expiry.startsWith("+") && Long.parseLong(expiry) < due) {
			return Stored.EXPIRES;
		}
		if (this.draining) {
			return Stored.DRAINING;
		}
		boolean hasSlot = known != null && known.group() != null && known.hasSlot();
		this.taken.add(name(message));
		if (message.group() != null && !hasSlot && !freeSlot(n, message.group())) {
			return Stored.FULL;
		}
		this.plans.put(n, new Plan(message, envelope, due, known, known != null && known.isNext(this.nowMillis)));
		return (known == null) ? Stored.CREATED : replaced(message);
	}

	private static Stored replaced(NewMessage message) {
		return (kind(message) == Kind.POSTPONE) ? Stored.POSTPONED : Stored.REPLACED;
	}

	private boolean freeSlot(int n, String group) {
		if (this.settings.quota() == 0) {
			return true;
		}
		long count = this.counts.computeIfAbsent(group, this.groups::count);
		boolean made = false;
		for (int i = 0; i < MOST_DROPPED && count >= this.settings.quota() && this.settings.dropOldest(); i++) {
			if (!dropOldest(n, group)) {
				break;
			}
			made = true;
			count--;
		}
		boolean fits = made || count < this.settings.quota();
		this.counts.put(group, fits ? count + 1 : count);
		return fits;
	}

	private boolean dropOldest(int n, String group) {
		for (OracleMessage message : this.groups.of(group)) {
			boolean waits = message.is(MessageState.SCHEDULED) || message.is(MessageState.PARKED);
			if (waits && message.hasSlot() && !message.isActive() && !this.taken.contains(message.name())) {
				this.taken.add(message.name());
				this.dropped.add(message);
				this.droppedFor.get(n).add(message.id());
				return true;
			}
		}
		// No stored message is left: the first new message of this call is dropped
		for (Map.Entry<Integer, Plan> plan : this.plans.entrySet()) {
			NewMessage message = plan.getValue().message();
			if (plan.getValue().known() == null && group.equals(message.group())) {
				this.plans.remove(plan.getKey());
				this.memory.ended(plan.getValue().envelope().substring(0, CallToken.LENGTH), true);
				this.droppedFor.get(n).add(message.id());
				return true;
			}
		}
		return false;
	}

	/** Stores new messages, then replaces, then drops; returns how many were unparked. */
	private int apply() {
		int unparked = 0;
		if (this.plans.values().stream().anyMatch((plan) -> plan.known() != null)
				|| this.droppedFor.stream().anyMatch((ids) -> !ids.isEmpty())) {
			this.memory.forget();
		}
		for (Plan plan : this.plans.values()) {
			if (plan.known() == null) {
				this.oracle.put(new OracleMessage(plan.message(), plan.envelope(), plan.dueMillis()));
			}
		}
		for (Plan plan : this.plans.values()) {
			OracleMessage known = plan.known();
			if (known == null) {
				continue;
			}
			this.memory.ended(known.token(), true);
			this.memory.replaced(plan.envelope().substring(0, CallToken.LENGTH), replaced(plan.message()));
			boolean stays = known.is(MessageState.READY) && kind(plan.message()) == Kind.POSTPONE
					&& plan.dueMillis() <= this.nowMillis && !passes(known, plan.dueMillis());
			if (!stays) {
				this.oracle.leaveStream(known);
			}
			known.replaced(plan.message(), plan.envelope(), plan.dueMillis(), stays);
			if (!stays) {
				unparked += this.groups.free(known, plan.wasNext());
			}
		}
		this.repeated.forEach(OracleMessage::repeated);
		for (OracleMessage message : this.dropped) {
			this.memory.ended(message.token(), true);
			this.oracle.remove(message);
			unparked += this.groups.free(message, message.isNext(this.nowMillis));
		}
		return unparked;
	}

	/** Whether the new due time puts a message behind another one of its group. */
	private boolean passes(OracleMessage message, long dueMillis) {
		return message.group() != null && this.groups.of(message.group())
			.stream()
			.filter(OracleMessage::hasSlot)
			.dropWhile((other) -> other != message)
			.skip(1)
			.anyMatch((other) -> other.dueMillis() < dueMillis
					|| (other.dueMillis() == dueMillis && other.id().compareTo(message.id()) < 0));
	}

	private static String name(NewMessage message) {
		return TestMessages.stored(message.id(), message.group());
	}

	/** A known generated id is kept too; whether it is finished is not checked. */
	private static Kind kind(NewMessage message) {
		return (message.onDuplicate() != null) ? message.onDuplicate().kind() : Kind.KEEP;
	}

	private long requestedDue(NewMessage message) {
		return OracleTimes.dueMillis(message.due(), this.nowMillis);
	}

}
