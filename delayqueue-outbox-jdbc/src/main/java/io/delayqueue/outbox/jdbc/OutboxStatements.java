package io.delayqueue.outbox.jdbc;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;

import io.delayqueue.MessageKey;

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
		// Why the query has this form: CURRENT_TIMESTAMP is constant during a
		// transaction, so PostgreSQL can compare it with the values of an index. The
		// subquery is scalar, so PostgreSQL cannot turn it into a join; the plan of a
		// join would read the whole table. PostgreSQL expects more rows for <= than for
		// =, and so reads rows in the order of the index up to the limit, instead of
		// sorting all due rows
		this.claimable = "SELECT r.seq, r.kind, r.queue, r.message_id, r.group_key, r.token, r.due, r.expiry,"
				+ " r.on_duplicate, r.envelope, r.attempts, " + database.age("r.created_at") + " AS passed_ms, "
				+ database.age("r.unconfirmed_since") + " AS unconfirmed_ms FROM " + table + " r WHERE %s"
				+ " AND (r.claimed_until IS NULL OR r.claimed_until <= CURRENT_TIMESTAMP) AND r.seq <= (SELECT MIN(o.seq) FROM "
				+ table + " o WHERE " + SAME_MESSAGE + " AND o.failed_at IS NULL)"
				+ " ORDER BY %s FOR UPDATE SKIP LOCKED";
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
				"r.next_attempt_at LIMIT " + limit);
	}

	String claimOf(int numbers) {
		return String.format(this.claimable, "r.seq IN " + parameters(numbers) + " AND r.failed_at IS NULL", "r.seq");
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
	 * overtaken by the rows with the given numbers. The subquery is scalar for the reason
	 * that is stated above.
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
