package io.delayqueue.store;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import io.delayqueue.DuplicatePolicy.Kind;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.record.CallToken;
import io.delayqueue.record.MessageRecord;
import io.delayqueue.store.PendingMessages.Settled;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ReadyMessages.Entry.Special;
import io.delayqueue.store.ScheduledMessages.Answer;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What holds after every step of every sequence of calls, also if scripts have stopped
 * after any write, answers were lost, calls are repeated at once or late, and consumers
 * settle what they no longer hold. The {@link Oracle} knows the whole content of Redis,
 * but only until a script stops.
 * <ul>
 * <li>Each record has a place, and a message of a group is in its group. An accepted
 * message is stored, and its record goes only on request, or when the message was
 * handled. So no message is lost.</li>
 * <li>No message is delivered before its due time. No message has an expiry that is not
 * its own, or too early.</li>
 * <li>The settlement of an old delivery changes no newer message.</li>
 * <li>A repeated call brings back no message that has ended, and is not told that it is a
 * duplicate. A repeated settlement counts no failure twice.</li>
 * <li>A new message has nothing of an earlier message with its id. An accepted message
 * waits no longer than requested, and has its expiry.</li>
 * <li>A group has no more messages than its quota, and one more for each script that has
 * stopped. No more of them than its limit are ready or being handled. No message is
 * dropped that is ready, pending or dead.</li>
 * <li>No message is handed over from the answer to a hold on until its release
 * begins.</li>
 * <li>When consumers have been silent, and all leases have ended, every message that is
 * due can be handled. A repair then leaves nothing of messages that have ended, and each
 * message in one place and with its rightful slots; until then a stopped script may have
 * left messages of a group parked.</li>
 * </ul>
 *
 * <p>
 * Weaker than without a stop:
 * <ul>
 * <li>a repeated call may be told that a message was cancelled that was handled, and a
 * repeated discard or redrive may count a message that another call has changed
 * since;</li>
 * <li>a swept message may be delivered again while its consumer lives;</li>
 * <li>a replaced message may lack its expiry, and wait for the due time of the replace,
 * until the call is repeated;</li>
 * <li>a message of a group may keep the due time of a reschedule or a replace that
 * stopped as its place in the order of the group.</li>
 * </ul>
 *
 * <p>
 * {@link StoppedScenarios} checks besides that a call that has stopped and is repeated
 * has the same result as one that has not. Permits, threads and leases of a living
 * process are not in the scripts: the tests of processes and the soak check them.
 */
final class Guarantees {

	private final GroupSettings limits;

	private PartitionDump before = new ExpectedDump().control(Map.of()).build();

	/** The messages of all calls by token. */
	private final Map<String, NewMessage> sent = new HashMap<>();

	/** The tokens of handled messages. */
	private final Set<String> handled = new HashSet<>();

	/** The tokens of messages that have ended. */
	private final Set<String> ended = new HashSet<>();

	/** Those of them whose window lasts. */
	private final Set<String> remembered = new HashSet<>();

	/** The tokens of stored messages whose callers have no answer. */
	private final Set<String> unanswered = new HashSet<>();

	/** What consumers handle, by entry, unless its lease has ended. */
	private final Map<String, Entry> working = new HashMap<>();

	/** The held groups, the empty one for the whole partition. */
	private final Set<String> held = new HashSet<>();

	private int stops;

	private Call call = new Call(List.of(), Set.of(), GroupSettings.NONE, true);

	private List<Answer> answers = List.of();

	/**
	 * What a call may change.
	 *
	 * @param stores the messages that it stores
	 * @param ends the names of messages that it ends, moves or replaces
	 * @param settings the quota, and whether it drops the oldest messages
	 * @param windowLasts whether a repeat is recognised
	 */
	private record Call(List<NewMessage> stores, Set<String> ends, GroupSettings settings, boolean windowLasts) {

		@Nullable NewMessage of(String token) {
			return this.stores.stream().filter((message) -> token(message).equals(token)).findFirst().orElse(null);
		}

		boolean dropsIn(@Nullable String group) {
			return group != null && this.settings.dropOldest()
					&& this.stores.stream().anyMatch((message) -> group.equals(message.group()));
		}

	}

	Guarantees(GroupSettings limits) {
		this.limits = limits;
	}

	private static String token(NewMessage message) {
		return Reply.text(message.envelope()).substring(0, CallToken.LENGTH);
	}

	private static String token(String record) {
		return record.substring(17, 17 + CallToken.LENGTH);
	}

	private static String name(StoredId id) {
		return Reply.text(id.toBytes());
	}

	private static boolean overwrites(NewMessage message) {
		return message.onDuplicate() != null
				&& (message.onDuplicate().kind() == Kind.REPLACE || message.onDuplicate().kind() == Kind.POSTPONE);
	}

	/** A call that ends no message and stores none begins. */
	void begins() {
		ends(Stream.empty(), true);
	}

	/** A call that ends or moves messages begins. */
	void ends(Stream<StoredId> ids, boolean windowLasts) {
		this.call = new Call(List.of(), Set.copyOf(ids.map(Guarantees::name).distinct().toList()), GroupSettings.NONE,
				windowLasts);
		this.answers = List.of();
	}

	/** The messages with an id, of any group. */
	Stream<StoredId> named(String id) {
		return this.before.messages()
			.keySet()
			.stream()
			.map((name) -> StoredId.from(Reply.bytes(name)))
			.filter((stored) -> stored.id().equals(id));
	}

	void schedules(List<NewMessage> messages, GroupSettings settings) {
		messages.forEach((message) -> this.sent.put(token(message), message));
		Set<String> replaced = new HashSet<>();
		messages.stream().filter(Guarantees::overwrites).forEach((message) -> replaced.add(name(message.storedId())));
		this.call = new Call(messages, replaced, settings, true);
		this.answers = List.of();
	}

	void scheduled(List<Answer> answered) {
		this.answers = answered;
	}

	/** A consumer has handled messages, and acknowledges them. */
	void handled(List<Entry> entries, boolean windowLasts) {
		entries.stream()
			.map(Entry::record)
			.filter(Objects::nonNull)
			.forEach((record) -> this.handled.add(token(Reply.text(record))));
		settles(entries);
		this.call = new Call(List.of(), Set.of(), GroupSettings.NONE, windowLasts);
	}

	/** A consumer no longer handles messages. */
	void settles(Collection<Entry> entries) {
		begins();
		entries.forEach((entry) -> this.working.remove(entry.entry()));
	}

	/** Dead letters are scheduled for another time, and lose their expiry. */
	void redrives() {
		begins();
		this.unanswered.clear();
	}

	/** The leases of all messages end. */
	void reclaims() {
		begins();
		this.working.clear();
	}

	void settled(List<Entry> entries, List<Settled> answered) {
		for (int n = 0; n < entries.size(); n++) {
			byte[] record = entries.get(n).record();
			if (answered.get(n) == Settled.COUNTED && record != null) {
				String name = name(entries.get(n).storedId());
				assertThat(token(this.before.messages().getOrDefault(name, "0".repeat(40))))
					.as("the message that the settlement of an old delivery has changed: %s", name)
					.isEqualTo(token(Reply.text(record)));
				assertThat(this.before.entries()).as("the entry of a settlement that counts")
					.containsEntry(name, entries.get(n).entry());
			}
		}
	}

	void delivered(List<Entry> entries, long nowMillis) {
		for (Entry entry : entries) {
			byte[] record = entry.record();
			if (record != null && entry.special() == Special.NONE) {
				String group = entry.storedId().group();
				assertThat(MessageRecord.from(record).dueMillis()).as("due time of %s, which is delivered", entry.id())
					.isLessThanOrEqualTo(nowMillis);
				assertThat(this.held).as("holds when %s is delivered", entry.id())
					.doesNotContain("", (group != null) ? group : "");
				this.working.put(entry.entry(), entry);
				this.unanswered.remove(token(Reply.text(record)));
			}
		}
	}

	void held(String group) {
		this.held.add(group);
	}

	/** The release of a hold begins; the empty group stands for all holds. */
	void releases(String group) {
		begins();
		if (group.isEmpty()) {
			this.held.clear();
		}
		this.held.remove(group);
	}

	void stopped() {
		this.stops++;
	}

	/** Checks the content of Redis after a step. */
	void check(PartitionDump now, long nowMillis) {
		assertThat(Audit.invariant(now, nowMillis)).isEmpty();
		this.before.messages().forEach((name, record) -> kept(name, record, now.messages().get(name)));
		now.messages().forEach((name, record) -> {
			String earlier = this.before.messages().get(name);
			if (earlier == null || !token(earlier).equals(token(record))) {
				brought(name, record, now);
			}
			expiresOnTime(name, record, now);
			countedOnce(name, now);
		});
		for (int n = 0; n < this.answers.size(); n++) {
			answered(this.call.stores().get(n), this.answers.get(n), now, nowMillis);
		}
		now.messages()
			.keySet()
			.stream()
			.map((name) -> StoredId.from(Reply.bytes(name)).group())
			.filter(Objects::nonNull)
			.distinct()
			.forEach((group) -> group(group, now));
		this.before = now;
	}

	/** A record goes only on request, or when its message was handled. */
	private void kept(String name, String record, @Nullable String now) {
		if (record.equals(now)) {
			return;
		}
		String token = token(record);
		String group = StoredId.from(Reply.bytes(name)).group();
		boolean isDropped = now == null && this.call.dropsIn(group);
		assertThat(this.call.ends().contains(name) || isDropped || (now == null && this.handled.contains(token)))
			.as("the call may change %s, which was %s and is %s", name, record, now)
			.isTrue();
		if (isDropped && !this.call.ends().contains(name)) {
			assertThat(this.before.locations(name)).as("places of the dropped message %s", name)
				.doesNotContain(Key.ENTRIES, Key.DEAD);
			assertThat(this.before.groups().isActive(name)).as("%s is dropped but active", name).isFalse();
		}
		if (now == null || !token(now).equals(token)) {
			ends(token);
		}
	}

	private void ends(String token) {
		this.ended.add(token);
		if (this.call.windowLasts()) {
			this.remembered.add(token);
		}
	}

	/** A new record begins without the data of earlier messages with its id. */
	private void brought(String name, String record, PartitionDump now) {
		NewMessage message = this.call.of(token(record));
		assertThat(message).as("the call that stores %s", record).isNotNull();
		assertThat(this.remembered).as("ended messages, of which a repeat brings one back")
			.doesNotContain(token(record));
		// A repeat looks for no failures of a generated id: after its window, when no
		// repeat comes, it finds those of the first life
		if (message.onDuplicate() != null || !this.ended.contains(token(record))) {
			assertThat(now.failures()).as("failures when %s is stored", name).doesNotContainKey(name);
		}
		// A repeat looks for no entry of a generated id without a group, either
		if (!this.before.messages().containsKey(name) && (message.onDuplicate() != null || message.group() != null)) {
			assertThat(now.locations(name)).as("places of the new message %s", name).containsExactly(Key.SCHEDULED);
			assertThat(now.groups().isActive(name)).as("the new message %s is active", name).isFalse();
		}
		this.unanswered.add(token(record));
		String group = message.group();
		int quota = this.call.settings().quota();
		if (group != null && quota > 0 && living(group, now) > living(group, this.before)) {
			long most = Math.max(quota, living(group, this.before) + returned(group, now));
			assertThat(living(group, now)).as("messages of group %s", group).isLessThanOrEqualTo(most + this.stops);
		}
	}

	/**
	 * A message has its own expiry or none, and never an earlier one: it would be lost at
	 * that time. A reschedule that stopped may have moved it to later twice.
	 */
	private void expiresOnTime(String name, String record, PartitionDump now) {
		String expiry = now.expiries().get(name);
		if (expiry != null) {
			String form = Objects.requireNonNull(this.sent.get(token(record))).expiry().toString();
			assertThat(form).as("expiry of %s, which has %s", name, expiry).isNotEmpty();
			if (form.startsWith("+")) {
				long due = MessageRecord.from(Reply.bytes(record)).dueMillis();
				assertThat(Double.parseDouble(expiry)).as("expiry of %s", name)
					.isGreaterThanOrEqualTo(due + Long.parseLong(form.substring(1)) + 0.5);
			}
			else {
				assertThat(expiry).as("expiry of %s", name).isEqualTo(form);
			}
		}
	}

	private static long living(String group, PartitionDump dump) {
		return dump.messages()
			.keySet()
			.stream()
			.filter((name) -> group.equals(StoredId.from(Reply.bytes(name)).group()))
			.filter((name) -> !dump.locations(name).equals(List.of(Key.DEAD)))
			.count();
	}

	/**
	 * Counts the dead letters of a group that a call has brought back and that had kept
	 * their slots, because dead letters counted when they died. The quota may have become
	 * lower since.
	 */
	private long returned(String group, PartitionDump now) {
		return this.before.messages()
			.keySet()
			.stream()
			.filter((name) -> group.equals(this.before.groups().groupOf(name)))
			.filter((name) -> this.before.groups().groups().contains(this.before.groups().memberOf(name)))
			.filter((name) -> this.before.locations(name).equals(List.of(Key.DEAD)))
			.filter((name) -> !now.locations(name).contains(Key.DEAD))
			.count();
	}

	/** A repeated settlement does not count a failure again. */
	private void countedOnce(String name, PartitionDump now) {
		String[] earlier = this.before.failures().getOrDefault(name, "0|0|0||").split("\\|", 5);
		String[] later = now.failures().getOrDefault(name, "0|0|0||").split("\\|", 5);
		if (!earlier[3].isEmpty() && earlier[3].equals(later[3])) {
			assertThat(later[0]).as("failures of %s, of which one is counted twice", name).isEqualTo(earlier[0]);
		}
	}

	private void answered(NewMessage message, Answer answer, PartitionDump now, long nowMillis) {
		String token = token(message);
		String name = name(message.storedId());
		String record = now.messages().get(name);
		boolean isStored = record != null && token(record).equals(token);
		switch (answer.stored()) {
			case CREATED, REPLACED, POSTPONED -> {
				if (isStored) {
					asRequested(message, name, MessageRecord.from(Reply.bytes(record)).dueMillis(), now, nowMillis);
				}
				else if (!this.ended.contains(token)) {
					assertThat(this.answers).as("answers, of which one has dropped %s", name)
						.anyMatch((one) -> one.dropped().contains(message.id()));
					ends(token);
				}
			}
			// A script that stopped has left the tombstone, and not removed the record
			case ENDED, SUPERSEDED ->
				assertThat(this.ended.contains(token) || this.stops > 0).as("%s by %s has ended", name, token).isTrue();
			default -> {
				// Unless the call has another message with this id, or drops this one
				if (this.call.stores().stream().filter((one) -> name(one.storedId()).equals(name)).count() == 1
						&& this.answers.stream().noneMatch((one) -> one.dropped().contains(message.id()))) {
					assertThat(this.remembered).as("accepted messages, of which %s is answered", answer)
						.doesNotContain(token);
				}
			}
		}
	}

	/**
	 * An accepted message waits no longer than requested, and has its expiry. Once it was
	 * delivered, a repeat changes nothing.
	 */
	private void asRequested(NewMessage message, String name, long dueMillis, PartitionDump now, long nowMillis) {
		boolean isNew = this.unanswered.remove(token(message));
		if ((isNew || overwrites(message)) && now.locations(name).equals(List.of(Key.SCHEDULED))
				&& !now.entries().containsKey(name) && !now.failures().containsKey(name)) {
			assertThat(now.scheduled().get(name)).as("time of %s in scheduled", name)
				.isLessThanOrEqualTo(Math.max(dueMillis, nowMillis));
			assertThat(now.expiries().containsKey(name)).as("%s has its expiry", name)
				.isEqualTo(!message.expiry().equals(Expiry.NEVER));
		}
	}

	/** No more messages of a group are ready or being handled than its limit. */
	private void group(String group, PartitionDump now) {
		Set<String> busy = new HashSet<>();
		now.entries().forEach((name, entry) -> {
			String record = now.messages().get(name);
			if (record != null && group.equals(StoredId.from(Reply.bytes(name)).group())) {
				Entry work = this.working.get(entry);
				boolean isReady = now.stream().isListed(entry) && !now.stream().pending().containsKey(entry);
				boolean isHandled = work != null && token(Reply.text(work.record())).equals(token(record));
				if (isReady || isHandled) {
					busy.add(name);
				}
			}
		});
		assertThat(busy).as("messages of group %s that are ready or handled", group)
			.hasSizeLessThanOrEqualTo(this.limits.limitOf(group, TestStore.CONCURRENCY));
	}

}
