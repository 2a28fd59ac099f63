package io.delayqueue.outbox.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;

import javax.sql.DataSource;

import org.springframework.core.io.ClassPathResource;

/**
 * Supplies the SQL statements that create the table of an outbox and its indexes, if
 * these do not exist.
 */
public final class OutboxSchema {

	private static final String NAME = "delayqueue_outbox";

	private OutboxSchema() {
	}

	/**
	 * Returns the SQL script that creates the table of an outbox in the database of a
	 * data source.
	 * @param dataSource the data source
	 * @param tableName the name of the table, with or without a schema
	 * @return the statements, separated by semicolons
	 */
	public static String script(DataSource dataSource, String tableName) {
		String text = read("/io/delayqueue/outbox/" + OutboxDatabase.of(dataSource).schema());
		String ofIndexes = tableName.substring(tableName.indexOf('.') + 1);
		return text.replaceAll(NAME + "_(\\w+)", Matcher.quoteReplacement(ofIndexes) + "_$1")
			.replaceAll("\\b" + NAME + "\\b(?!_)", Matcher.quoteReplacement(tableName));
	}

	private static String read(String resource) {
		try {
			return new ClassPathResource(resource).getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException failure) {
			throw new UncheckedIOException("The schema of the outbox cannot be read", failure);
		}
	}

}
