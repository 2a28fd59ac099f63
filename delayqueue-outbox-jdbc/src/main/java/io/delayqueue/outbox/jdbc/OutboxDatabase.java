package io.delayqueue.outbox.jdbc;

import java.util.Locale;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;

/**
 * The supported databases, with the parts of SQL statements that differ between them. All
 * times are by the clock of the database.
 */
enum OutboxDatabase {

	/**
	 * PostgreSQL. Its {@code clock_timestamp()} is the present time, also inside a
	 * transaction.
	 */
	POSTGRESQL("PostgreSQL", "clock_timestamp()", "clock_timestamp() + CAST(? AS BIGINT) * INTERVAL '1 millisecond'",
			"CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp() - %s) * 1000) AS BIGINT)",
			"SET LOCAL enable_seqscan = off"),

	/** H2. Its {@code CURRENT_TIMESTAMP} stays the same during a transaction. */
	H2("H2", "CURRENT_TIMESTAMP(6)", "DATEADD(MILLISECOND, ?, CURRENT_TIMESTAMP(6))",
			"DATEDIFF(MILLISECOND, %s, CURRENT_TIMESTAMP(6))", null);

	private final String product;

	private final String now;

	private final String later;

	private final String age;

	private final @Nullable String useOfIndexes;

	OutboxDatabase(String product, String now, String later, String age, @Nullable String useOfIndexes) {
		this.product = product;
		this.now = now;
		this.later = later;
		this.age = age;
		this.useOfIndexes = useOfIndexes;
	}

	/** Returns the SQL expression for the present time of the database. */
	String now() {
		return this.now;
	}

	/**
	 * Returns the SQL expression for the present time of the database plus a parameter in
	 * ms.
	 */
	String later() {
		return this.later;
	}

	/** Returns the SQL expression for the time since the instant in a column, ms. */
	String age(String column) {
		return String.format(this.age, column);
	}

	/**
	 * Returns the statement after which all statements of a transaction use indexes, or
	 * {@code null} if the database needs none. The rows of an outbox come and go, so the
	 * statistics of its table are often wrong. PostgreSQL would read the whole table for
	 * each batch of rows then.
	 */
	@Nullable String useOfIndexes() {
		return this.useOfIndexes;
	}

	/**
	 * Returns the name of the file with the SQL script that creates the table in this
	 * database.
	 */
	String schema() {
		return "schema-" + name().toLowerCase(Locale.ROOT) + ".sql";
	}

	/**
	 * Returns the kind of database of a data source. This method sends no statement,
	 * because the JDBC driver has the name of the product.
	 */
	static OutboxDatabase of(DataSource dataSource) {
		try {
			String product = JdbcUtils.extractDatabaseMetaData(dataSource,
					(metaData) -> String.valueOf(metaData.getDatabaseProductName()));
			return named(product);
		}
		catch (MetaDataAccessException failure) {
			throw new IllegalStateException("The outbox cannot determine the product of its database", failure);
		}
	}

	private static OutboxDatabase named(String product) {
		for (OutboxDatabase database : values()) {
			if (database.product.equals(product)) {
				return database;
			}
		}
		throw new IllegalStateException("The outbox supports PostgreSQL and H2, not " + product);
	}

}
