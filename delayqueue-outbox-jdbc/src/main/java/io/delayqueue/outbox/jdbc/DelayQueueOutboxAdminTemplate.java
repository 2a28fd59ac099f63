package io.delayqueue.outbox.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.function.ToIntFunction;

import io.delayqueue.InvalidMessageException;
import io.delayqueue.outbox.DelayQueueOutboxAdmin;
import io.delayqueue.outbox.FailedRow;
import io.delayqueue.outbox.OutboxStatus;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Implements {@link DelayQueueOutboxAdmin} by SQL statements on the table of the outbox.
 */
class DelayQueueOutboxAdminTemplate implements DelayQueueOutboxAdmin {

	private static final int MOST_ROWS = 1000;

	private static final String OVERTAKEN = ". A later row of this message was sent, so this row cannot be retried";

	/**
	 * For how long rows that follow a retried row are not claimed: longer than a query
	 * for rows takes.
	 */
	private static final long HELD_BACK_MILLIS = 1000;

	private final OutboxTable table;

	private final Runnable relay;

	private final KnownStatus status;

	/**
	 * Creates the operations for operators.
	 * @param table the table of the outbox
	 * @param relay a function that wakes the relay of this process, so that the relay
	 * sends retried rows
	 */
	DelayQueueOutboxAdminTemplate(OutboxTable table, Runnable relay) {
		this.table = table;
		this.relay = relay;
		this.status = new KnownStatus(this::count, System::nanoTime);
	}

	@Override
	public OutboxStatus status() {
		return this.status.get();
	}

	OutboxStatus count() {
		OutboxStatus counted = this.table.transaction()
			.execute((transaction) -> this.table.jdbc()
				.queryForObject(this.table.statements().count(),
						(row, number) -> new OutboxStatus(row.getLong("pending"), row.getLong("failed"),
								Duration.ofMillis(Math.max(0, row.getLong("oldest_ms"))))));
		return (counted != null) ? counted : new OutboxStatus(0, 0, Duration.ZERO);
	}

	@Override
	public List<FailedRow> failed(long after, int limit) {
		if (limit < 1 || limit > MOST_ROWS) {
			throw new InvalidMessageException("limit", Integer.toString(limit), "from 1 to " + MOST_ROWS);
		}
		List<FailedRow> failed = this.table.transaction()
			.execute((transaction) -> this.table.jdbc()
				.query(this.table.statements().failed(), (row, number) -> failedRow(row), after, limit));
		return (failed != null) ? failed : List.of();
	}

	private static FailedRow failedRow(ResultSet row) throws SQLException {
		return new FailedRow(row.getLong("seq"), row.getString("kind"),
				new FailedRow.Key(row.getString("queue"), row.getString("message_id"), row.getString("group_key")),
				row.getObject("created_at", OffsetDateTime.class).toInstant(),
				row.getObject("failed_at", OffsetDateTime.class).toInstant(),
				row.getString("failure") + (row.getBoolean("overtaken") ? OVERTAKEN : ""));
	}

	@Override
	public boolean retry(long row) {
		return retry("seq", row) > 0;
	}

	@Override
	public int retryAll(String queue) {
		return retry("queue", queue);
	}

	private int retry(String column, Object value) {
		int retried = update((jdbc) -> {
			jdbc.update(this.table.statements().holdBack(column), HELD_BACK_MILLIS, value);
			return jdbc.update(this.table.statements().again(column), value);
		});
		if (retried > 0) {
			this.relay.run();
		}
		return retried;
	}

	@Override
	public boolean remove(long row) {
		return update((jdbc) -> jdbc.update(this.table.statements().remove(), row)) > 0;
	}

	private int update(ToIntFunction<JdbcTemplate> work) {
		Integer changed = this.table.transaction().execute((transaction) -> work.applyAsInt(this.table.jdbc()));
		// Count the rows anew at the next call of status(), so that the operator sees the
		// change
		this.status.forget();
		return (changed != null) ? changed : 0;
	}

}
