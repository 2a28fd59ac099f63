package io.delayqueue.outbox.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.delayqueue.MessageKey;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowCallbackHandler;
import org.springframework.jdbc.support.SQLExceptionTranslator;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.function.SingletonSupplier;

/**
 * The table of the outbox. Only {@link #insert} takes part in the transaction of the
 * caller; every other access to rows has a short READ COMMITTED transaction of its own,
 * on a connection of its own. All times in the table are by the clock of the database.
 * This class is thread-safe.
 *
 * <p>
 * A process claims rows in these steps, so that no other process sends the same rows:
 * <ol>
 * <li>the process locks committed rows whose next attempt is due and that have no valid
 * claim of a process. The process skips rows that another process has locked. A row waits
 * if the process cannot claim an older unfinished row with the same queue and message id
 * too: it is put off, and becomes due when the older row is finished. With the rows of
 * one message the process also claims some of the next rows of this message;</li>
 * <li>the process writes the claim and the number of the attempt to the rows and commits,
 * so that no row is locked during the calls to Redis;</li>
 * <li>after the calls to Redis, the process writes the outcome of a row only if no later
 * claim of the row exists. But a row whose call was carried out is always deleted, by its
 * number and its token, because the call of a row never changes. Older failed rows with
 * the same queue and message id are overtaken then, and cannot be retried any more.</li>
 * </ol>
 */
final class OutboxTable {

	/**
	 * The number of bytes of payloads after which a claim takes no more rows, to limit
	 * the memory of the process.
	 */
	private static final int MOST_BYTES = 8 << 20;

	private static final int FETCHED_AT_ONCE = 100;

	/**
	 * The most rows of one message in a claim: their calls are sent one after the other,
	 * and delay the next claim.
	 */
	private static final int MOST_OF_A_MESSAGE = 50;

	/** The most messages whose next rows a claim adds. */
	private static final int MOST_FOLLOWED = 10;

	/**
	 * For how long a row that waits for older rows is put off, unless the older rows are
	 * finished before.
	 */
	private static final long WAIT_MILLIS = 30_000;

	private static final int LONGEST_REASON = 1000;

	private static final Log logger = LogFactory.getLog(OutboxTable.class);

	private final OutboxCounts counts;

	private final JdbcTemplate jdbc;

	private final TransactionTemplate transaction;

	private final SingletonSupplier<OutboxStatements> statements;

	OutboxTable(DataSource dataSource, String name, OutboxCounts counts) {
		this.counts = counts;
		this.jdbc = new JdbcTemplate(dataSource);
		this.jdbc.setFetchSize(FETCHED_AT_ONCE);
		this.jdbc.setExceptionTranslator(describesMissing(name, this.jdbc.getExceptionTranslator()));
		this.transaction = new TransactionTemplate(new OutboxTransactions(dataSource));
		this.transaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.transaction.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
		this.statements = SingletonSupplier.of(() -> new OutboxStatements(OutboxDatabase.of(dataSource), name));
	}

	private static SQLExceptionTranslator describesMissing(String name, SQLExceptionTranslator translator) {
		return (task, sql, failure) -> {
			DataAccessException translated = translator.translate(task, sql, failure);
			return (translated instanceof BadSqlGrammarException)
					? new InvalidDataAccessResourceUsageException("Table '" + name
							+ "' of the outbox is missing, has other columns, or the user has no rights on it: set"
							+ " 'delayqueue.outbox.initialize-schema' to 'always', or create it with the script of the database"
							+ " from 'io/delayqueue/outbox' (" + failure.getMessage() + ")", failure)
					: translated;
		};
	}

	/**
	 * Returns the SQL statements for the kind of database. The first call of this method
	 * opens a connection to determine the kind.
	 */
	OutboxStatements statements() {
		return this.statements.obtain();
	}

	JdbcTemplate jdbc() {
		return this.jdbc;
	}

	TransactionTemplate transaction() {
		return this.transaction;
	}

	/**
	 * Writes rows in the transaction of the caller, each row by one statement.
	 * @return the numbers of the written rows
	 */
	List<Long> insert(List<NewRow> rows) {
		List<Long> written = this.jdbc.execute((ConnectionCallback<List<Long>>) (connection) -> {
			String sql = statements().insert();
			try (PreparedStatement insert = connection.prepareStatement(sql, new String[] { "seq" })) {
				if (rows.size() == 1) {
					OutboxStatements.bind(insert, rows.get(0));
					insert.executeUpdate();
				}
				else {
					for (NewRow row : rows) {
						OutboxStatements.bind(insert, row);
						insert.addBatch();
					}
					insert.executeBatch();
				}
				return keys(insert);
			}
		});
		return (written != null) ? written : List.of();
	}

	private static List<Long> keys(PreparedStatement insert) throws SQLException {
		List<Long> keys = new ArrayList<>();
		try (ResultSet generated = insert.getGeneratedKeys()) {
			while (generated.next()) {
				keys.add(generated.getLong(1));
			}
		}
		return keys;
	}

	/**
	 * Claims rows whose next attempt is due, so that no other process sends them.
	 * @param limit the most due rows; the next rows of their messages are added
	 * @param timeout for how long the claim is valid
	 * @return the claimed rows, those of each message in their order
	 */
	List<ClaimedRow> claim(int limit, Duration timeout) {
		Claim claim;
		do {
			claim = claim(statements().claim(limit), List.of(), timeout);
		}
		while (claim.rows().isEmpty() && claim.found() == limit);
		return claim.rows();
	}

	/**
	 * Claims those of the rows with the given numbers that are committed and that no
	 * process has claimed, so that no other process sends these rows.
	 * @param numbers the numbers, at least one
	 * @param timeout for how long the claim is valid
	 * @return the claimed rows, those of each message in their order
	 */
	List<ClaimedRow> claim(Collection<Long> numbers, Duration timeout) {
		List<Long> padded = padded(numbers);
		return claim(statements().claimOf(padded.size()), padded, timeout).rows();
	}

	/**
	 * The result of one transaction that claims rows.
	 *
	 * @param found the number of rows that could be locked
	 * @param rows the claimed rows
	 */
	private record Claim(int found, List<ClaimedRow> rows) {
	}

	private Claim claim(String select, List<Long> numbers, Duration timeout) {
		return Objects.requireNonNull(this.transaction.execute((status) -> {
			useIndexes();
			List<ClaimedRow> found = lock(select, numbers);
			List<ClaimedRow> claimed = found.isEmpty() ? List.of() : inOrder(found);
			if (!claimed.isEmpty()) {
				List<Long> padded = padded(claimed.stream().map(ClaimedRow::seq).toList());
				List<Object> arguments = new ArrayList<>();
				arguments.add(timeout.toMillis());
				arguments.addAll(padded);
				this.jdbc.update(statements().mark(padded.size()), arguments.toArray());
			}
			return new Claim(found.size(), claimed);
		}));
	}

	private void useIndexes() {
		String statement = statements().useOfIndexes();
		if (statement != null) {
			this.jdbc.execute(statement);
		}
	}

	private List<ClaimedRow> lock(String select, List<Long> numbers) {
		List<Object[]> malformed = new ArrayList<>();
		List<ClaimedRow> rows = Objects
			.requireNonNull(this.jdbc.query(select, (ResultSet found) -> read(found, malformed), numbers.toArray()));
		if (!malformed.isEmpty()) {
			this.jdbc.batchUpdate(statements().fail(), malformed);
			wakeFollowers(malformed.stream().map((arguments) -> (Long) arguments[1]).toList());
		}
		return rows;
	}

	/** Makes the rows due that follow finished rows of different messages. */
	private void wakeFollowers(List<Long> numbers) {
		List<Long> padded = padded(numbers);
		List<Long> followers = this.jdbc
			.queryForList(statements().followers(padded.size()), Long.class, padded.toArray())
			.stream()
			.filter(Objects::nonNull)
			.distinct()
			.toList();
		if (!followers.isEmpty()) {
			List<Long> due = padded(followers);
			this.jdbc.update(statements().wake(due.size()), due.toArray());
		}
	}

	/**
	 * Chooses those locked rows that may be sent now, adds the next rows of their
	 * messages, and puts off the other locked rows.
	 */
	private List<ClaimedRow> inOrder(List<ClaimedRow> locked) {
		Map<MessageKey, List<ClaimedRow>> messages = new LinkedHashMap<>();
		for (ClaimedRow row : locked) {
			messages.computeIfAbsent(row.call().message(), (message) -> new ArrayList<>()).add(row);
		}
		messages.values().forEach((rows) -> rows.sort(Comparator.comparingLong(ClaimedRow::seq)));
		Map<Long, Long> others = firstOthers(messages.values(), locked);
		List<ClaimedRow> chosen = new ArrayList<>();
		List<Long> waiting = new ArrayList<>();
		Map<ClaimedRow, Integer> followed = new LinkedHashMap<>();
		for (List<ClaimedRow> rows : messages.values()) {
			Long other = others.get(rows.get(0).seq());
			int end = 0;
			while (end < Math.min(rows.size(), MOST_OF_A_MESSAGE) && (other == null || rows.get(end).seq() < other)) {
				chosen.add(rows.get(end++));
			}
			rows.subList(end, rows.size()).forEach((row) -> waiting.add(row.seq()));
			if (other != null && end > 0 && end < MOST_OF_A_MESSAGE && followed.size() < MOST_FOLLOWED) {
				followed.put(rows.get(end - 1), MOST_OF_A_MESSAGE - end);
			}
		}
		if (!waiting.isEmpty()) {
			List<Object> arguments = new ArrayList<>(padded(waiting));
			arguments.add(0, WAIT_MILLIS);
			this.jdbc.update(statements().putOff(arguments.size() - 1), arguments.toArray());
		}
		followed.forEach((last, limit) -> {
			if (chosen.stream().mapToInt(ClaimedRow::bytes).sum() < MOST_BYTES) {
				chosen.addAll(following(last, limit));
			}
		});
		return chosen;
	}

	/**
	 * Returns the first unfinished row of each message that is not locked, by the number
	 * of the first locked row of the message.
	 */
	private Map<Long, Long> firstOthers(Collection<List<ClaimedRow>> messages, List<ClaimedRow> locked) {
		List<Long> except = padded(locked.stream().map(ClaimedRow::seq).toList());
		List<Long> heads = padded(messages.stream().map((rows) -> rows.get(0).seq()).toList());
		Map<Long, Long> others = new HashMap<>();
		this.jdbc.query(statements().firstOthers(heads.size(), except.size()), (RowCallbackHandler) (row) -> {
			long other = row.getLong("first_other");
			if (!row.wasNull()) {
				others.put(row.getLong("seq"), other);
			}
		}, Stream.concat(except.stream(), heads.stream()).toArray());
		return others;
	}

	/**
	 * Locks the next rows of a message, up to the first one that another process has
	 * claimed or locked.
	 */
	private List<ClaimedRow> following(ClaimedRow last, int limit) {
		MessageKey key = last.call().key();
		List<Long> numbers = this.jdbc.queryForList(statements().following(limit), Long.class, key.id(), key.queue(),
				last.seq());
		if (numbers.isEmpty()) {
			return List.of();
		}
		List<Long> padded = padded(numbers);
		List<ClaimedRow> locked = lock(statements().claimOf(padded.size()), padded);
		int end = 0;
		while (end < locked.size() && locked.get(end).seq() == numbers.get(end)) {
			end++;
		}
		return locked.subList(0, end);
	}

	/**
	 * Reads the rows that a query has found. A malformed row is added to
	 * {@code malformed}, so that it does not prevent the claim of other rows.
	 */
	private List<ClaimedRow> read(ResultSet found, List<Object[]> malformed) throws SQLException {
		List<ClaimedRow> rows = new ArrayList<>();
		int bytes = 0;
		while (bytes < MOST_BYTES && found.next()) {
			try {
				ClaimedRow row = ClaimedRow.from(found);
				bytes += row.bytes();
				rows.add(row);
			}
			catch (RuntimeException fault) {
				long seq = found.getLong("seq");
				logger.error("Row " + seq + " of the outbox is malformed and stays as a failed row", fault);
				this.counts.addMalformed();
				malformed.add(new Object[] { shortened("The row is malformed: " + fault.getMessage()), seq,
						found.getString("token"), found.getInt("attempts") });
			}
		}
		return rows;
	}

	/**
	 * Writes the outcomes of claimed rows to the table in one transaction.
	 * @param outcomes the outcomes, at least one
	 */
	void settle(Collection<RowOutcome> outcomes) {
		List<ClaimedRow> finished = new ArrayList<>();
		List<Object[]> retried = new ArrayList<>();
		List<Object[]> failed = new ArrayList<>();
		Map<MessageKey, Long> last = new HashMap<>();
		for (RowOutcome outcome : outcomes) {
			ClaimedRow row = outcome.row();
			if (!(outcome instanceof RowOutcome.Retried)) {
				last.merge(row.call().message(), row.seq(), Math::max);
			}
			if (outcome instanceof RowOutcome.Finished) {
				finished.add(row);
			}
			else if (outcome instanceof RowOutcome.Retried retry) {
				retried.add(new Object[] { retry.backOff().toMillis(), retry.staysUnconfirmed() ? 1 : 0,
						shortened(retry.reason()), row.seq(), row.call().token(), row.attempt() });
			}
			else if (outcome instanceof RowOutcome.Failed failure) {
				failed.add(new Object[] { shortened(failure.reason()), row.seq(), row.call().token(), row.attempt() });
			}
		}
		this.transaction.executeWithoutResult((status) -> {
			useIndexes();
			if (!last.isEmpty()) {
				wakeFollowers(List.copyOf(last.values()));
			}
			if (!finished.isEmpty()) {
				List<Object> arguments = new ArrayList<>(padded(finished.stream().map(ClaimedRow::seq).toList()));
				int size = arguments.size();
				this.jdbc.update(statements().overtake(size), arguments.toArray());
				arguments.addAll(padded(finished.stream().map((row) -> row.call().token()).toList()));
				this.jdbc.update(statements().delete(size), arguments.toArray());
			}
			if (!retried.isEmpty()) {
				this.jdbc.batchUpdate(statements().retry(), retried);
			}
			if (!failed.isEmpty()) {
				this.jdbc.batchUpdate(statements().fail(), failed);
			}
		});
	}

	private static String shortened(String reason) {
		String printable = reason.replace('\0', ' ');
		return (printable.length() > LONGEST_REASON) ? printable.substring(0, LONGEST_REASON) : printable;
	}

	/**
	 * Fills a list up to a power of two with copies of its last value, so that the
	 * database prepares statements for few different numbers of parameters.
	 */
	private static <T> List<T> padded(Collection<T> values) {
		List<T> padded = new ArrayList<>(values);
		int size = Integer.highestOneBit(Math.max(1, 2 * padded.size() - 1));
		padded.addAll(Collections.nCopies(size - padded.size(), padded.get(padded.size() - 1)));
		return padded;
	}

}
