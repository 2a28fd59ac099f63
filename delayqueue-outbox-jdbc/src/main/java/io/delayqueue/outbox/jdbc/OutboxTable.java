package io.delayqueue.outbox.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

import javax.sql.DataSource;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
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
 * claim of a process. A row waits if an older unfinished row has the same queue and
 * message id. The process skips rows that another process has locked;</li>
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
	 * @param limit the most rows
	 * @param timeout for how long the claim is valid
	 * @return the claimed rows, ordered by the time of their next attempt
	 */
	List<ClaimedRow> claim(int limit, Duration timeout) {
		return claim(statements().claim(limit), List.of(), timeout);
	}

	/**
	 * Claims those of the rows with the given numbers that are committed and that no
	 * process has claimed, so that no other process sends these rows.
	 * @param numbers the numbers, at least one
	 * @param timeout for how long the claim is valid
	 * @return the claimed rows, in the order of their numbers
	 */
	List<ClaimedRow> claim(Collection<Long> numbers, Duration timeout) {
		List<Long> padded = padded(numbers);
		return claim(statements().claimOf(padded.size()), padded, timeout);
	}

	private List<ClaimedRow> claim(String select, List<Long> numbers, Duration timeout) {
		List<ClaimedRow> claimed = this.transaction.execute((status) -> {
			List<Object[]> malformed = new ArrayList<>();
			List<ClaimedRow> rows = this.jdbc.query(select, (ResultSet found) -> read(found, malformed),
					numbers.toArray());
			if (!malformed.isEmpty()) {
				this.jdbc.batchUpdate(statements().fail(), malformed);
			}
			if (rows == null || rows.isEmpty()) {
				return List.of();
			}
			List<Long> padded = padded(rows.stream().map(ClaimedRow::seq).toList());
			List<Object> arguments = new ArrayList<>();
			arguments.add(timeout.toMillis());
			arguments.addAll(padded);
			this.jdbc.update(statements().mark(padded.size()), arguments.toArray());
			return rows;
		});
		return (claimed != null) ? claimed : List.of();
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
		for (RowOutcome outcome : outcomes) {
			ClaimedRow row = outcome.row();
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
