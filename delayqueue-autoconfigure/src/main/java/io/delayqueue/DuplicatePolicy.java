package io.delayqueue;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * What happens to a message that is scheduled while its id is known already in its queue
 * and group. Immutable.
 *
 * <table>
 * <caption>What becomes of the call, by what the known message is</caption>
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
 * <td>postponed; at its limit it stays ready, with the new payload, unless others of its
 * group are due between the old and the new due time: these come first</td>
 * </tr>
 * <tr>
 * <td>pending</td>
 * <td>duplicate</td>
 * <td>throws</td>
 * <td>replaced; the running handler may finish, the new message is delivered too</td>
 * <td>postponed as if replaced; a new series begins</td>
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
 * A call that the library or a driver repeats because its reply was lost meets its own
 * message in each of these cells: it changes nothing and gets the answer of the first
 * run. If that message has ended or was replaced in the meantime, the answer is
 * "created".
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

	/** The policies. */
	public enum Kind {

		/** What is known stays as it is; nothing is written. */
		KEEP,

		/** The new message takes the place of the known one. */
		REPLACE,

		/** The call throws; nothing is written. */
		FAIL,

		/** The new message takes the place of the known one, and is due later. */
		POSTPONE

	}

	/**
	 * What is known stays as it is, nothing is written, and the result says so. That is
	 * what happens unless a request says otherwise.
	 * @return the policy
	 */
	public static DuplicatePolicy keep() {
		return KEEP;
	}

	/**
	 * The new message takes the place of the known one, with its payload, headers, due
	 * time and expiry; failures are forgotten, and so is a dead letter. Its place in the
	 * quota of its group is kept.
	 * @return the policy
	 */
	public static DuplicatePolicy replace() {
		return REPLACE;
	}

	/**
	 * Nothing is written, and the call throws a {@link DuplicateMessageException}.
	 * @return the policy
	 */
	public static DuplicatePolicy fail() {
		return FAIL;
	}

	/**
	 * The new message takes the place of the known one, whose due time it moves to the
	 * one asked for, but never to an earlier one: of a series of calls that come fast one
	 * after the other the last one counts, when they have ceased for the delay that they
	 * ask for.
	 * @param limit the most by which the calls of a series put off its message, counted
	 * from when its first one was accepted: 1 ms to 3,650 d, rounded up to whole
	 * milliseconds; not less than the delay that a request asks for
	 * @return the policy
	 * @throws InvalidMessageException if the limit is out of its bounds
	 */
	public static DuplicatePolicy postpone(Duration limit) {
		return new DuplicatePolicy(Kind.POSTPONE, Rules.within("the limit of postpone", limit));
	}

	/**
	 * Which policy this is.
	 * @return the kind
	 */
	public Kind kind() {
		return this.kind;
	}

	/**
	 * How long a series may put off its message.
	 * @return the limit, empty unless this policy postpones
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
