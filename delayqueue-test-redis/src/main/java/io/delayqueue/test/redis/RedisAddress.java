package io.delayqueue.test.redis;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The parts of a {@code redis://[[user]:password@]host[:port][/database]} URI.
 *
 * @param host the host name or address
 * @param port 1 to 65535
 * @param username the ACL user, or null for the default user
 * @param password the password, or null for none
 * @param database the number of the database, 0 or more
 */
record RedisAddress(String host, int port, @Nullable String username, @Nullable String password, int database) {

	private static final int DEFAULT_PORT = 6379;

	static RedisAddress of(URI uri) {
		if (!"redis".equals(uri.getScheme()) || uri.getHost() == null) {
			throw new IllegalArgumentException("Not of the form redis://[[user]:password@]host[:port][/database]: "
					+ ((uri.getUserInfo() != null) ? "(a URI with credentials)" : uri));
		}
		String path = (uri.getPath() != null) ? uri.getPath().replace("/", "") : "";
		String credentials = uri.getUserInfo();
		String username = null;
		String password = null;
		if (credentials != null) {
			int colon = credentials.indexOf(':');
			username = (colon > 0) ? credentials.substring(0, colon) : null;
			password = credentials.substring(colon + 1);
		}
		return new RedisAddress(uri.getHost(), (uri.getPort() > 0) ? uri.getPort() : DEFAULT_PORT, username, password,
				path.isEmpty() ? 0 : Integer.parseInt(path));
	}

	String hostAndPort() {
		return this.host + ":" + this.port;
	}

	/**
	 * Returns the first commands that a client sends over a new connection: AUTH and
	 * SELECT if needed.
	 */
	List<List<String>> handshake() {
		List<List<String>> commands = new ArrayList<>();
		if (this.password != null) {
			commands.add((this.username != null) ? List.of("AUTH", this.username, this.password)
					: List.of("AUTH", this.password));
		}
		if (this.database != 0) {
			commands.add(List.of("SELECT", Integer.toString(this.database)));
		}
		return commands;
	}

}
