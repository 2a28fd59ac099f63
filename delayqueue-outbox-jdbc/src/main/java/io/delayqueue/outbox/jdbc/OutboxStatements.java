package io.delayqueue.outbox.jdbc;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;

import io.delayqueue.MessageKey;
import org.jspecify.annotations.Nullable;

/**
 * The SQL statements on the table of an outbox, for one kind of database.
 */
final class OutboxStatements {

	private static final String SAME_MESSAGE = "o.message_id = r.message_id AND o.queue = r.queue";

	private final OutboxDatabase database;

	private final String table;

	private final String insert;

	private final String claimable;

	OutboxStatements(OutboxDatabase database, String table) {
		this.database = database;
		this.table = table;
		this.insert = "INSERT INTO " + table
				+ " (kind, queue, message_id, group_key, token, due, expiry, on_duplicate, envelope, created_at,"
				+ " next_attempt_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, " + database.now() + ", " + database.now()
				+ ")";
		// PostgreSQL can compare CURRENT_TIMESTAMP with the values of an index, because
		// it
		// is constant during a transaction. It expects many rows for IS NOT TRUE, so it
		// reads rows in the order of the index up to the limit, and does not sort them
		this.claimable = "SELECT r.seq, r.kind, r.queue, r.message_id, r.group_key, r.token, r.due, r.expiry,"
				+ " r.on_duplicate, r.envelope, r.attempts, " + database.age("r.created_at") + " AS passed_ms, "
				+ database.age("r.unconfirmed_since") + " AS unconfirmed_ms FROM " + table + " r WHERE %s"
				+ " AND (r.claimed_until > CURRENT_TIMESTAMP) IS NOT TRUE ORDER BY %s FOR UPDATE SKIP LOCKED";
	}

	@Nullable String useOfIndexes() {
		return this.database.useOfIndexes();
	}

	String insert() {
		return this.insert;
	}

	static void bind(PreparedStatement insert, NewRow row) throws SQLException {
		MessageKey key = row.key();
		insert.setString(1, row.call().name());
		insert.setString(2, key.queue());
		insert.setString(3, key.id());
		insert.setString(4, key.group());
		insert.setString(5, row.token());
		insert.setString(6, row.due());
		insert.setString(7, row.expiry());
		insert.setString(8, row.onDuplicate());
		byte[] envelope = row.envelope();
		if (envelope != null) {
			insert.setBytes(9, envelope);
		}
		else {
			insert.setNull(9, Types.VARBINARY);
		}
	}

	String claim(int limit) {
		return String.format(this.claimable, "r.next_attempt_at <= CURRENT_TIMESTAMP",
				"r.next_attempt_at, r.seq LIMIT " + limit);
	}

	String claimOf(int numbers) {
		return String.format(this.claimable, "r.seq IN " + parameters(numbers) + " AND r.failed_at IS NULL", "r.seq");
	}

	/**
	 * Returns the query for the first unfinished rows of messages, except the rows with
	 * the numbers of the first parameters; one row of each message has a number of the
	 * last parameters. The subquery is scalar, because a join might read all rows.
	 */
	String firstOthers(int messages, int except) {
		return "SELECT r.seq, (SELECT MIN(o.seq) FROM " + this.table + " o WHERE " + SAME_MESSAGE
				+ " AND o.failed_at IS NULL AND o.seq NOT IN " + parameters(except) + ") AS first_other FROM "
				+ this.table + " r WHERE r.seq IN " + parameters(messages);
	}

	/** Returns the query for the numbers of the next unfinished rows of a message. */
	String following(int limit) {
		return "SELECT seq FROM " + this.table
				+ " WHERE message_id = ? AND queue = ? AND seq > ? AND failed_at IS NULL ORDER BY seq LIMIT " + limit;
	}

	/**
	 * Returns the statement that puts rows off for a parameter in ms, so that a query for
	 * due rows does not read them again and again while they wait for older rows.
	 */
	String putOff(int numbers) {
		return "UPDATE " + this.table + " SET next_attempt_at = " + this.database.later() + " WHERE seq IN "
				+ parameters(numbers);
	}

	/**
	 * Returns the query for the rows that follow the given rows of different messages.
	 */
	String followers(int numbers) {
		return "SELECT (SELECT MIN(o.seq) FROM " + this.table + " o WHERE " + SAME_MESSAGE
				+ " AND o.failed_at IS NULL AND o.seq > r.seq) FROM " + this.table + " r WHERE r.seq IN "
				+ parameters(numbers);
	}

	/**
	 * Returns the statement that makes rows due, before all rows that were written later.
	 * The statement also writes a row that is due already: so it waits for a transaction
	 * that is putting off this row.
	 */
	String wake(int numbers) {
		return "UPDATE " + this.table + " SET next_attempt_at = created_at WHERE failed_at IS NULL AND seq IN "
				+ parameters(numbers);
	}

	String mark(int numbers) {
		return "UPDATE " + this.table + " SET claimed_until = " + this.database.later()
				+ ", attempts = attempts + 1, unconfirmed_since = COALESCE(unconfirmed_since, " + this.database.now()
				+ ") WHERE seq IN " + parameters(numbers);
	}

	/**
	 * Returns the statement that deletes rows by their numbers and tokens. The number
	 * alone is not enough: after a failover to a database replica that lagged behind, a
	 * new row may have the number of a lost row.
	 */
	String delete(int numbers) {
		return "DELETE FROM " + this.table + " WHERE seq IN " + parameters(numbers) + " AND token IN "
				+ parameters(numbers);
	}

	String retry() {
		return "UPDATE " + this.table + " SET next_attempt_at = " + this.database.later()
				+ ", claimed_until = NULL, unconfirmed_since = CASE WHEN ? = 1 THEN unconfirmed_since END, failure = ?"
				+ " WHERE seq = ? AND token = ? AND attempts = ?";
	}

	String fail() {
		return "UPDATE " + this.table + " SET failed_at = " + this.database.now()
				+ ", next_attempt_at = NULL, claimed_until = NULL, unconfirmed_since = NULL, failure = ?"
				+ " WHERE seq = ? AND token = ? AND attempts = ?";
	}

	String count() {
		return "SELECT COUNT(*) - COUNT(failed_at) AS pending, COUNT(failed_at) AS failed, "
				+ this.database.age("MIN(CASE WHEN failed_at IS NULL THEN created_at END)") + " AS oldest_ms FROM "
				+ this.table;
	}

	String failed() {
		return "SELECT seq, kind, queue, message_id, group_key, created_at, failed_at, failure, overtaken FROM "
				+ this.table + " WHERE failed_at IS NOT NULL AND seq > ? ORDER BY seq LIMIT ?";
	}

	/**
	 * Returns the statement that marks older failed rows of the same messages as
	 * overtaken by the rows with the given numbers.
	 */
	String overtake(int numbers) {
		return "UPDATE " + this.table
				+ " r SET overtaken = TRUE WHERE r.failed_at IS NOT NULL AND r.seq < (SELECT MAX(o.seq)" + " FROM "
				+ this.table + " o WHERE " + SAME_MESSAGE + " AND o.seq IN " + parameters(numbers) + ")";
	}

	/**
	 * Returns the statement that prevents for a while, a parameter in ms, the claim of
	 * the rows that follow failed rows which are to be retried. A query for rows that
	 * runs now may not see yet that a failed row is retried.
	 */
	String holdBack(String condition) {
		return "UPDATE " + this.table + " SET claimed_until = " + this.database.later()
				+ " WHERE seq IN (SELECT r.seq FROM " + this.table + " o JOIN " + this.table + " r ON " + SAME_MESSAGE
				+ " AND r.seq > o.seq WHERE o.failed_at IS NOT NULL AND o." + condition
				+ " = ? AND r.failed_at IS NULL) AND (claimed_until IS NULL OR claimed_until <= " + this.database.now()
				+ ")";
	}

	String again(String condition) {
		return "UPDATE " + this.table + " r SET failed_at = NULL, failure = NULL, next_attempt_at = "
				+ this.database.now() + " WHERE r.failed_at IS NOT NULL AND NOT r.overtaken AND r." + condition
				+ " = ? AND NOT EXISTS (SELECT 1 FROM " + this.table + " o WHERE " + SAME_MESSAGE
				+ " AND o.seq > r.seq AND o.unconfirmed_since IS NOT NULL)";
	}

	String remove() {
		return "DELETE FROM " + this.table + " WHERE failed_at IS NOT NULL AND seq = ?";
	}

	private static String parameters(int count) {
		return "(?" + ", ?".repeat(count - 1) + ")";
	}

}
