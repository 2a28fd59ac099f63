package io.delayqueue;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Defines the effect of scheduling a message whose id exists already in the same queue
 * and group. Instances are immutable.
 *
 * <table>
 * <caption>The effect of the call, by the state of the existing message</caption>
 * <tr>
 * <th></th>
 * <th>{@link #keep()}</th>
 * <th>{@link #fail()}</th>
 * <th>{@link #replace()}</th>
 * <th>{@link #postpone(Duration)}</th>
 * </tr>
 * <tr>
 * <td>scheduled, parked</td>
 * <td>duplicate</td>
 * <td>throws</td>
 * <td>replaced</td>
 * <td>postponed</td>
 * </tr>
 * <tr>
 * <td>ready</td>
 * <td>duplicate</td>
 * <td>throws</td>
 * <td>replaced</td>
 * <td>postponed. If the limit reduces the new due time to a time that has already passed,
 * the message stays ready, with the new payload. Exception: if other messages of its
 * group are due between its old and its new due time, the message is scheduled again, and
 * those messages are delivered first</td>
 * </tr>
 * <tr>
 * <td>pending</td>
 * <td>duplicate</td>
 * <td>throws</td>
 * <td>replaced; a running handler ends undisturbed, and the new message is delivered at
 * its due time</td>
 * <td>as replaced; a new series of postponing calls begins</td>
 * </tr>
 * <tr>
 * <td>dead</td>
 * <td>dead letter, nothing is written</td>
 * <td>throws</td>
 * <td>replaced</td>
 * <td>dead letter, nothing is written</td>
 * </tr>
 * <tr>
 * <td>finished within its window</td>
 * <td>done, nothing is written</td>
 * <td>throws</td>
 * <td>created</td>
 * <td>created</td>
 * </tr>
 * </table>
 *
 * <p>
 * If the library or a driver repeats a call to Redis because the reply was lost, the
 * repetition finds the message that the first call stored, changes nothing, and returns
 * the result of the first call. The repetition also returns the result of the first call
 * if the message of that call has finished or was replaced before the repetition.
 */
public final class DuplicatePolicy {

	private static final DuplicatePolicy KEEP = new DuplicatePolicy(Kind.KEEP, null);

	private static final DuplicatePolicy REPLACE = new DuplicatePolicy(Kind.REPLACE, null);

	private static final DuplicatePolicy FAIL = new DuplicatePolicy(Kind.FAIL, null);

	private final Kind kind;

	private final @Nullable Duration limit;

	private DuplicatePolicy(Kind kind, @Nullable Duration limit) {
		this.kind = kind;
		this.limit = limit;
	}

	/** The kinds of policies for an id that exists already. */
	public enum Kind {

		/** The existing message with the id is kept; nothing is written. */
		KEEP,

		/** The new message replaces the existing message with its id. */
		REPLACE,

		/**
		 * The call to schedule throws {@link DuplicateMessageException}; nothing is
		 * written.
		 */
		FAIL,

		/**
		 * The new message replaces the existing message with its id, and is not due
		 * earlier than the existing message.
		 */
		POSTPONE

	}

	/**
	 * {@return the default policy: the existing message is kept, nothing is written, and
	 * {@link ScheduleResult#outcome()} reports the duplicate}
	 */
	public static DuplicatePolicy keep() {
		return KEEP;
	}

	/**
	 * Returns the policy by which a new message, with its payload, headers, due time and
	 * expiry, replaces the existing message with its id. The new message has a failure
	 * count of 0; an existing dead letter with the id is removed. The new message takes
	 * over the slot of the replaced message in the quota of its group. A handler of the
	 * replaced message that runs is not cancelled, but its result has no effect on the
	 * queue: it is neither retried nor dead-lettered. If the new message is due before
	 * this handler has ended, both may run at the same time.
	 * @return the policy
	 */
	public static DuplicatePolicy replace() {
		return REPLACE;
	}

	/**
	 * {@return the policy by which, if the id exists already, the call to schedule throws
	 * {@link DuplicateMessageException} and nothing is written}
	 */
	public static DuplicatePolicy fail() {
		return FAIL;
	}

	/**
	 * Returns the policy by which the new message replaces the existing message with its
	 * id, and is due at the requested time, but never earlier than the replaced message
	 * (debounce). In a series of calls in quick succession, each message replaces the one
	 * before; the last message is delivered when the requested delay has passed without a
	 * further call. A handler of the replaced message that runs ends undisturbed, as with
	 * {@link #replace()}.
	 * @param limit the longest time by which a series of calls can postpone its message,
	 * counted from the acceptance of the first call: 1 ms to 3,650 days, rounded up to
	 * whole milliseconds; not less than the delay of the request
	 * @return the policy
	 * @throws InvalidMessageException if the limit is out of its bounds
	 */
	public static DuplicatePolicy postpone(Duration limit) {
		return new DuplicatePolicy(Kind.POSTPONE, Rules.within("the limit of postpone", limit));
	}

	/**
	 * {@return the kind of this policy}
	 */
	public Kind kind() {
		return this.kind;
	}

	/**
	 * Returns the longest time by which a series of calls can postpone its message.
	 * @return the limit, empty unless the kind is {@link Kind#POSTPONE}
	 */
	public Optional<Duration> limit() {
		return Optional.ofNullable(this.limit);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof DuplicatePolicy that && this.kind == that.kind
				&& Objects.equals(this.limit, that.limit);
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.kind, this.limit);
	}

	@Override
	public String toString() {
		return this.kind + ((this.limit != null) ? "[limit=" + this.limit + "]" : "");
	}

}
