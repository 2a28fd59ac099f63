package io.delayqueue.sample.orders;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;

import io.delayqueue.outbox.DelayQueueOutbox;
import io.delayqueue.sample.orders.Order.ClosedBy;
import io.delayqueue.sample.orders.Order.Status;
import org.jspecify.annotations.Nullable;

import org.springframework.context.annotation.Profile;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Stores orders in a database. One transaction stores an order and the outbox row of its
 * timeout message, so no reconciler is needed: after a crash either both exist or
 * neither, and the outbox sends the message. Redis may be unavailable while an order is
 * placed.
 * <p>
 * The times of orders come from the clock of the database. If the clock of Redis is ahead
 * of that clock, the listener defers the timeout message. This class also checks the
 * quota in the database. The queue in Redis must have no quota, because the timeout
 * messages of different orders arrive in Redis in any order.
 */
@Service
@Profile("database")
class OrdersInDatabase implements Orders {

	private static final int QUOTA = 3;

	private static final Duration KEEP_CLOSED = Duration.ofDays(7);

	private final JdbcClient database;

	private final DelayQueueOutbox outbox;

	OrdersInDatabase(JdbcClient database, DelayQueueOutbox outbox) {
		this.database = database;
		this.outbox = outbox;
	}

	@Override
	@Transactional
	public Order place(String id, String userId, Duration payWithin) {
		Instant dueAt = now().plus(payWithin.plusNanos(999_999).truncatedTo(ChronoUnit.MILLIS));
		Order order = new Order(id, userId, Status.UNPAID, dueAt, null, null, false);
		try {
			this.database.sql("INSERT INTO sample_orders (id, user_id, status, due_at) VALUES (?, ?, 'UNPAID', ?)")
				.params(id, userId, time(dueAt))
				.update();
		}
		catch (DuplicateKeyException ex) {
			throw OrderProblems.duplicate(id);
		}
		lock(userId);
		if (countUnpaid(userId) > QUOTA) {
			throw OrderProblems.quotaExceeded(userId, QUOTA);
		}
		this.outbox.schedule(OrderTimeouts.of(order));
		return order;
	}

	/**
	 * Locks the row of a user until the end of the transaction, so that concurrent
	 * transactions that place orders of the same user count each other's orders.
	 */
	private void lock(String userId) {
		this.database.sql("INSERT INTO sample_users (id) VALUES (?) ON CONFLICT DO NOTHING").param(userId).update();
		this.database.sql("SELECT id FROM sample_users WHERE id = ? FOR UPDATE")
			.param(userId)
			.query(String.class)
			.single();
	}

	private long countUnpaid(String userId) {
		return this.database.sql("SELECT COUNT(*) FROM sample_orders WHERE user_id = ? AND status = 'UNPAID'")
			.param(userId)
			.query(Long.class)
			.single();
	}

	@Override
	@Transactional
	public Closing close(String id, Status status, ClosedBy closedBy) {
		if (find(id) == null) {
			return new Closing(Closing.Outcome.UNKNOWN, null);
		}
		boolean closed = this.database.sql("""
				UPDATE sample_orders SET status = :status, closed_by = :closedBy, closed_at = :now
				WHERE id = :id AND status = 'UNPAID' AND (:closedBy <> 'TIMEOUT' OR due_at <= :now)""")
			.param("id", id)
			.param("status", status.name())
			.param("closedBy", closedBy.name())
			.param("now", time(now()))
			.update() == 1;
		Order order = find(id);
		if (order == null) {
			return new Closing(Closing.Outcome.UNKNOWN, null);
		}
		if (!closed) {
			return new Closing(
					(order.status() == Status.UNPAID) ? Closing.Outcome.NOT_DUE : Closing.Outcome.CLOSED_BEFORE, order);
		}
		if (closedBy != ClosedBy.TIMEOUT) {
			this.outbox.cancel(OrderTimeouts.keyOf(order));
		}
		return new Closing(Closing.Outcome.CLOSED, order);
	}

	@Override
	@Transactional
	public void flag(String id) {
		this.database.sql("UPDATE sample_orders SET flagged = TRUE WHERE id = ?").param(id).update();
	}

	@Override
	public @Nullable Order find(String id) {
		return this.database.sql("SELECT * FROM sample_orders WHERE id = ?")
			.param(id)
			.query(OrdersInDatabase::order)
			.optional()
			.orElse(null);
	}

	@Override
	@Transactional(readOnly = true)
	public OrderPage search(@Nullable String userId, @Nullable Status status, int limit) {
		Map<String, Object> values = new HashMap<>(Map.of("limit", limit));
		String matching = " FROM sample_orders WHERE TRUE";
		if (userId != null) {
			matching += " AND user_id = :user";
			values.put("user", userId);
		}
		if (status != null) {
			matching += " AND status = :status";
			values.put("status", status.name());
		}
		long total = this.database.sql("SELECT COUNT(*)" + matching).params(values).query(Long.class).single();
		return new OrderPage(this.database.sql("SELECT *" + matching + " ORDER BY position DESC LIMIT :limit")
			.params(values)
			.query(OrdersInDatabase::order)
			.list(), total);
	}

	@Override
	public Instant now() {
		return this.database.sql("SELECT CURRENT_TIMESTAMP")
			.query((row, number) -> row.getObject(1, OffsetDateTime.class).toInstant())
			.single()
			.truncatedTo(ChronoUnit.MILLIS);
	}

	/** Removes the orders that have been closed for 7 days. */
	@Scheduled(fixedDelayString = "PT1M")
	@Transactional
	void forgetClosed() {
		this.database.sql("DELETE FROM sample_orders WHERE closed_at < ?")
			.param(time(now().minus(KEEP_CLOSED)))
			.update();
	}

	private static Order order(ResultSet row, int number) throws SQLException {
		Status status = Status.valueOf(row.getString("status"));
		OffsetDateTime closedAt = row.getObject("closed_at", OffsetDateTime.class);
		String closedBy = row.getString("closed_by");
		return new Order(row.getString("id"), row.getString("user_id"), status,
				row.getObject("due_at", OffsetDateTime.class).toInstant(),
				(closedAt != null) ? closedAt.toInstant() : null,
				(closedBy != null) ? ClosedBy.valueOf(closedBy) : null,
				row.getBoolean("flagged") && status == Status.UNPAID);
	}

	private static OffsetDateTime time(Instant instant) {
		return instant.atOffset(ZoneOffset.UTC);
	}

}
