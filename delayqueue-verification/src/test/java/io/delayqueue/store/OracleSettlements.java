package io.delayqueue.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;

import io.delayqueue.store.PendingMessages.Death;
import io.delayqueue.store.PendingMessages.Settled;
import io.delayqueue.store.PendingMessages.Settlements;
import io.delayqueue.store.ReadyMessages.Entry;

/**
 * The settlements of consumers, for the oracle.
 */
final class OracleSettlements {

	private final Oracle oracle;

	private final Map<String, OracleMessage> messages;

	private final Map<String, OracleMessage> inFlight;

	private final OracleMemory memory;

	private final OracleGroups groups;

	/** How many messages the settlements of a call have unparked. */
	private long unparked;

	OracleSettlements(Oracle oracle, Map<String, OracleMessage> messages, Map<String, OracleMessage> inFlight,
			OracleMemory memory, OracleGroups groups) {
		this.oracle = oracle;
		this.messages = messages;
		this.inFlight = inFlight;
		this.memory = memory;
		this.groups = groups;
	}

	Settlements acknowledge(List<Entry> batch, boolean windowLasts) {
		return settle(batch, 0, (message) -> {
			this.messages.remove(message.name());
			this.unparked += this.groups.free(message);
			this.memory.finished(message.name(), windowLasts);
			this.memory.ended(message.token(), windowLasts);
		});
	}

	Settlements release(List<Entry> batch, long dueMillis, long nowMicros) {
		return settle(batch, nowMicros, (message) -> message.releasedForLater(dueMillis));
	}

	Settlements deadLetter(Entry entry, Death death, long nowMicros) {
		return settle(List.of(entry), nowMicros, (message) -> {
			message.deadLettered(death.text());
			message.hasSlot(death.countsOn());
			this.unparked += this.groups.free(message);
		});
	}

	Settlements retry(Entry entry, Duration wait, String reason, boolean keepsSlot, long nowMicros) {
		OptionalLong head = this.oracle.head();
		long[] due = { 0 };
		Settlements settled = settle(List.of(entry), nowMicros, (message) -> {
			due[0] = message.bounded(nowMicros / 1000 + wait.toMillis());
			if (reason != null) {
				message.retried(due[0], reason);
			}
			else {
				message.deferred(due[0]);
			}
			if (!keepsSlot) {
				this.unparked += this.groups.free(message);
			}
		});
		boolean counted = settled.each().get(0) == Settled.COUNTED;
		return new Settlements(settled.each(), settled.unparked(),
				(counted && OracleTimes.isNewHead(due[0], head)) ? due[0] : 0, nowMicros);
	}

	private Settlements settle(List<Entry> batch, long nowMicros, Consumer<OracleMessage> settlement) {
		List<Settled> answers = new ArrayList<>();
		List<OracleMessage> settled = new ArrayList<>();
		for (Entry entry : batch) {
			OracleMessage message = this.messages.get(Reply.text(entry.storedId().toBytes()));
			if (message != null && message.isHeldBy(entry.entry())) {
				settled.add(message);
				answers.add(Settled.COUNTED);
			}
			else {
				boolean before = message != null && message.isSettledBy(entry.entry());
				answers.add((message == null || before) ? Settled.GONE : Settled.SUPERSEDED);
			}
			this.inFlight.remove(entry.entry());
		}
		this.unparked = 0;
		settled.forEach(settlement);
		return new Settlements(answers, this.unparked, 0, nowMicros);
	}

}
