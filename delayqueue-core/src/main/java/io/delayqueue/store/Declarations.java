package io.delayqueue.store;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.delayqueue.queue.Partition;
import io.delayqueue.record.CallToken;
import io.delayqueue.store.Members.Member;

/**
 * Stores which recurring schedules each member (process) declares, in one hash. The field
 * of a member holds the name of its declaration and of its application. The field
 * {@code =name} holds the schedules of the declaration with this name. Each method is
 * safe to repeat, and throws a {@code StoreException}.
 */
public final class Declarations {

	/**
	 * The first character of each field that holds the schedules of a declaration; no
	 * member's name begins with it.
	 */
	private static final String TEXT = "=";

	private static final Partition ANY = new Partition("members", 0);

	private final RedisCalls calls;

	private final Members members;

	/**
	 * Creates the access to the declarations.
	 * @param calls the access to Redis
	 * @param members the list of members in Redis
	 */
	public Declarations(RedisCalls calls, Members members) {
		this.calls = calls;
		this.members = members;
	}

	/**
	 * The name of a recurring schedule: its queue and its key.
	 *
	 * @param queue the queue of the schedule
	 * @param key the key of the schedule
	 */
	public record Name(String queue, String key) {

		@Override
		public String toString() {
			return this.queue + " " + this.key;
		}

	}

	/**
	 * The recurring schedules that one member declares.
	 *
	 * @param member the name of the member
	 * @param application the name of the member's application
	 * @param schedules the declared schedules
	 */
	public record Declaration(String member, String application, Set<Name> schedules) {

		/** Makes a declaration with a copy of the schedules. */
		public Declaration {
			schedules = Set.copyOf(schedules);
		}

	}

	/**
	 * The declarations of all members (processes).
	 *
	 * @param declarations the declarations of present and of removed members
	 * @param incomplete the applications of members whose declared schedules are missing
	 * in Redis, because Redis has lost them and the member has not stored them again
	 * @param unused fields of declarations that no member has
	 * @param since the present members, by name, and since when each is listed, ms since
	 * 1970
	 */
	public record All(List<Declaration> declarations, Set<String> incomplete, Set<String> unused,
			Map<String, Long> since) {

		/**
		 * Returns the declarations of an application's present members; the member that
		 * has been listed for longest is first.
		 * @param application the name of the application
		 * @return the declarations
		 */
		public List<Declaration> living(String application) {
			return this.declarations.stream()
				.filter((one) -> one.application().equals(application) && this.since.containsKey(one.member()))
				.sorted(Comparator.<Declaration>comparingLong((one) -> this.since.getOrDefault(one.member(), 0L))
					.thenComparing(Declaration::member))
				.toList();
		}

	}

	/**
	 * Stores the recurring schedules that a member declares.
	 * @param declaration the declaration
	 */
	public void write(Declaration declaration) {
		String text = declaration.schedules().stream().map(Name::toString).sorted().collect(Collectors.joining("\n"));
		String name = CallToken.of(text);
		byte[] key = this.calls.key(ANY, Key.DECLARATIONS);
		this.calls.command(ANY, Key.DECLARATIONS, (connection) -> {
			connection.hashCommands().hSet(key, bytes(TEXT + name), bytes(text));
			return connection.hashCommands()
				.hSet(key, bytes(declaration.member()), bytes(name + " " + declaration.application()));
		});
	}

	/**
	 * Reads the declarations of all members, and then the list of members. So a member
	 * that has declared schedules and is not in the list has left.
	 * @return the declarations of all applications
	 */
	public All read() {
		byte[] key = this.calls.key(ANY, Key.DECLARATIONS);
		var stored = this.calls.command(ANY, Key.DECLARATIONS, (connection) -> connection.hashCommands().hGetAll(key));
		Map<String, String> fields = new HashMap<>();
		Objects.requireNonNull(stored).forEach((field, value) -> fields.put(Reply.text(field), Reply.text(value)));
		List<Declaration> declarations = new ArrayList<>();
		Set<String> incomplete = new HashSet<>();
		Set<String> unused = fields.keySet()
			.stream()
			.filter((field) -> field.startsWith(TEXT))
			.collect(Collectors.toCollection(HashSet::new));
		fields.forEach((member, value) -> {
			int space = value.indexOf(' ');
			if (!member.startsWith(TEXT) && space > 0) {
				String name = TEXT + value.substring(0, space);
				String application = value.substring(space + 1);
				String text = fields.get(name);
				unused.remove(name);
				if (text == null) {
					incomplete.add(application);
				}
				declarations.add(new Declaration(member, application, names((text != null) ? text : "")));
			}
		});
		Map<String, Long> since = Objects.requireNonNull(this.members.list("").members())
			.stream()
			.collect(Collectors.toMap(Member::name, Member::sinceMillis));
		return new All(declarations, incomplete, unused, since);
	}

	private static Set<Name> names(String text) {
		return text.lines()
			.filter((line) -> line.indexOf(' ') > 0)
			.map((line) -> new Name(line.substring(0, line.indexOf(' ')), line.substring(line.indexOf(' ') + 1)))
			.collect(Collectors.toSet());
	}

	/**
	 * Removes hash fields of members, or of declarations that no member has.
	 * @param fields the names of one or more fields of the hash
	 */
	public void remove(Collection<String> fields) {
		byte[] key = this.calls.key(ANY, Key.DECLARATIONS);
		this.calls.command(ANY, Key.DECLARATIONS, (connection) -> connection.hashCommands()
			.hDel(key, fields.stream().map(Declarations::bytes).toArray(byte[][]::new)));
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
