package io.delayqueue.example.guides;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The query of docs/why.md, by two workers at the same time. */
class CronJobTests {

	@Test
	void eachOverdueOrderIsGivenToOneWorker() throws SQLException, IOException {
		String query = query();
		try (Connection one = worker(); Connection other = worker()) {
			update(one, "create table orders (id varchar primary key, status varchar, pay_until timestamp)");
			update(one, """
					insert into orders values ('late', 'UNPAID', dateadd('minute', -1, now())),
						('paid', 'PAID', dateadd('minute', -1, now())), ('early', 'UNPAID', dateadd('hour', 1, now()))
					""");
			one.commit();

			assertThat(ids(one, query)).containsExactly("late");
			assertThat(ids(other, query)).as("while the first worker has it").isEmpty();

			one.rollback();
			assertThat(ids(other, query)).as("when it gave it back").containsExactly("late");
		}
	}

	private static String query() throws IOException {
		Matcher snippet = Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL)
			.matcher(Files.readString(Path.of("../docs/why.md")));
		assertThat(snippet.find()).isTrue();
		return snippet.group(1);
	}

	private static Connection worker() throws SQLException {
		Connection connection = DriverManager.getConnection("jdbc:h2:mem:orders");
		connection.setAutoCommit(false);
		return connection;
	}

	private static void update(Connection connection, String sql) throws SQLException {
		try (Statement statement = connection.createStatement()) {
			statement.executeUpdate(sql);
		}
	}

	private static List<String> ids(Connection connection, String query) throws SQLException {
		List<String> ids = new ArrayList<>();
		try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(query)) {
			while (rows.next()) {
				ids.add(rows.getString("id"));
			}
		}
		return ids;
	}

}
