package io.delayqueue.store;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.MessageKey;
import io.delayqueue.queue.GroupOverride;
import io.delayqueue.queue.GroupSettings;
import io.delayqueue.record.Envelope;
import io.delayqueue.store.DeadLetters.Redrive;
import org.jspecify.annotations.Nullable;

/**
 * The random choices of a step: which of a few messages and groups it uses, and its
 * parameters. Few ids, so that the steps of a sequence affect each other.
 */
final class Draw {

	/** A series that can no longer be postponed. */
	static final Duration SHORT = Duration.ofMillis(1);

	static final List<String> IDS = List.of("a", "b", "c", "d", "订单", "z|1");

	private static final String GROUPED = "generated-in-group-";

	private static final List<String> GROUPS = List.of("g", "g", "g0", "用户");

	/**
	 * Settings of groups with one message in flight for each group, and two for group g0.
	 */
	private static final List<GroupSettings> SETTINGS = List.of(groups(0, false, false), groups(2, false, false),
			groups(2, true, false), groups(3, true, true), groups(1, true, false));

	private static final List<String> CONSUMERS = List.of("one", "two");

	private final Random random;

	private final List<String> ids;

	/** Ids that were generated for earlier messages, in their order. */
	private final List<String> generated;

	Draw(long seed, List<String> ids, List<String> generated) {
		this.random = new Random(seed);
		this.ids = ids;
		this.generated = generated;
	}

	boolean yes() {
		return this.random.nextBoolean();
	}

	boolean oneIn(int number) {
		return this.random.nextInt(number) == 0;
	}

	/** A number from 1 on. */
	int upTo(int most) {
		return 1 + this.random.nextInt(most);
	}

	<T> T of(List<T> list) {
		return list.get(this.random.nextInt(list.size()));
	}

	/**
	 * Returns one to three elements: mostly recent ones, from the end of the list,
	 * sometimes old ones.
	 */
	<T> List<T> some(List<T> list) {
		List<T> some = new ArrayList<>();
		for (int i = upTo(3); i > 0 && !list.isEmpty(); i--) {
			int back = this.random.nextInt(oneIn(4) ? list.size() : Math.min(4, list.size()));
			T one = list.get(list.size() - 1 - back);
			if (!some.contains(one)) {
				some.add(one);
			}
		}
		return some;
	}

	/** Returns one of the few chosen ids, or an id that was generated before. */
	String id() {
		List<String> recent = some(this.generated);
		return (recent.isEmpty() || (isAboutFew() ? !oneIn(6) : oneIn(3))) ? of(this.ids) : recent.get(0);
	}

	List<StoredId> ids() {
		return Stream.concat(this.ids.stream().filter((id) -> yes()), some(this.generated).stream())
			.map((id) -> new StoredId(id, groupOf(id)))
			.toList();
	}

	/**
	 * The messages of a call: mostly their ids are generated, and most of these have
	 * neither a group nor an expiry.
	 * @param tokens a number for each message
	 */
	List<NewMessage> call(IntSupplier tokens) {
		int kind = isAboutFew() ? (oneIn(6) ? upTo(6) : 6 + upTo(2)) : upTo(8);
		List<NewMessage> call = new ArrayList<>();
		for (int i = (isAboutFew() ? !oneIn(4) : yes()) ? 1 : upTo(4); i > 0; i--) {
			boolean isGenerated = (kind == 6) ? yes() : kind < 6;
			call.add(message(tokens.getAsInt(), isGenerated, kind < 5));
		}
		return call;
	}

	private NewMessage message(int number, boolean isGenerated, boolean plain) {
		String token = TestMessages.token(number);
		String id = isGenerated ? (plain ? "generated-" : GROUPED) + number : id();
		Envelope envelope = new Envelope(token, plain ? null : groupOf(id), Map.of(), Reply.bytes("payload " + token));
		NewMessage message = TestMessages.message(id, due(), envelope);
		if (plain) {
			return TestMessages.made(message);
		}
		NewMessage expiring = TestMessages.expiring(message, expiry());
		return isGenerated ? TestMessages.made(expiring) : TestMessages.onDuplicate(policy(), expiring);
	}

	String consumer() {
		return of(CONSUMERS);
	}

	String group() {
		return of(GROUPS);
	}

	/** Mostly the same group for an id, so that calls about the id match its message. */
	@Nullable String groupOf(String id) {
		if (oneIn(isAboutFew() ? 12 : 4)) {
			return yes() ? null : group();
		}
		if (id.startsWith(GROUPED)) {
			return GROUPS.get(id.charAt(id.length() - 1) % GROUPS.size());
		}
		int number = IDS.indexOf(id);
		return (number >= 0 && number < GROUPS.size()) ? GROUPS.get(number) : null;
	}

	/** The group that a call names, if it names one. */
	@Nullable String meant() {
		return oneIn(3) ? group() : null;
	}

	/** Returns no group, or a group that may not match the message. */
	MessageKey key() {
		MessageKey key = TestMessages.key(id());
		String group = meant();
		return (group != null) ? key.inGroup(group) : key;
	}

	GroupSettings groups() {
		return of(SETTINGS);
	}

	static GroupSettings groups(int quota, boolean dropOldest, boolean countDead) {
		return new GroupSettings(quota, dropOldest, countDead, 1, null, null,
				Map.of("g0", new GroupOverride(1, 2, null, false)));
	}

	/** Whether the calls are about few messages, which they often replace. */
	private boolean isAboutFew() {
		return this.ids.size() < IDS.size();
	}

	DuplicatePolicy policy() {
		return switch (this.random.nextInt(isAboutFew() ? 6 : 8)) {
			case 0, 4 -> DuplicatePolicy.fail();
			case 1 -> DuplicatePolicy.replace();
			case 2 -> DuplicatePolicy.postpone(Duration.ofHours(1));
			case 3 -> DuplicatePolicy.postpone(SHORT);
			default -> DuplicatePolicy.keep();
		};
	}

	Expiry expiry() {
		return switch (this.random.nextInt(6)) {
			case 0 -> Expiry.after(Duration.ofHours(1));
			case 1 -> Expiry.after(Duration.ofDays(30_000));
			case 2 -> Expiry.at(Instant.ofEpochMilli(States.DUE + 3));
			case 3 -> Expiry.at(Instant.ofEpochMilli(States.FAR + 1));
			default -> Expiry.NEVER;
		};
	}

	Due due() {
		return switch (this.random.nextInt(10)) {
			case 0, 1 -> Due.at(Instant.ofEpochMilli(States.FAR + this.random.nextInt(3)));
			case 2 -> Due.in(Duration.ZERO);
			case 3 -> Due.in(Duration.ofDays(1));
			case 4 -> yes() ? Due.at(Instant.parse("3000-01-01T00:00:00Z")) : Due.in(TestStore.MAX_DELAY);
			default -> Due.at(Instant.ofEpochMilli(States.DUE + this.random.nextInt(5)));
		};
	}

	Duration delay() {
		return yes() ? Duration.ZERO : Duration.ofDays(1);
	}

	List<Redrive> redrives() {
		return ids().stream().map((id) -> new Redrive(id, delay())).toList();
	}

}
