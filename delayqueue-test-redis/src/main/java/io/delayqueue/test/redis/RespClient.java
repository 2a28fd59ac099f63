package io.delayqueue.test.redis;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * One plain connection to a Redis server, without any driver. A call sends a command and
 * waits for its reply (RESP2).
 *
 * <p>
 * Safe for use by several threads, whose calls are carried out one after the other. No
 * call is repeated. After an {@link UncheckedIOException} the connection is closed,
 * because later replies could be matched to wrong commands.
 */
public final class RespClient implements AutoCloseable {

	private static final Duration DEFAULT_TIMEOUT = Await.LIMIT;

	private final Socket socket = new Socket();

	private final InputStream in;

	private RespClient(InetSocketAddress address, Duration timeout) throws IOException {
		try {
			this.socket.setTcpNoDelay(true);
			this.socket.connect(address, Math.toIntExact(timeout.toMillis()));
			this.socket.setSoTimeout(Math.toIntExact(timeout.toMillis()));
			this.in = new BufferedInputStream(this.socket.getInputStream());
		}
		catch (IOException ex) {
			this.socket.close();
			throw ex;
		}
	}

	/**
	 * Connects to a server, with a timeout of 2 minutes for connecting and for each
	 * reply.
	 * @param uri the address in the form of {@link #connect(URI, Duration)}
	 * @return the open connection
	 * @throws UncheckedIOException if the server cannot be reached
	 * @throws RespException if the credentials or the database are refused
	 */
	public static RespClient connect(URI uri) {
		return connect(uri, DEFAULT_TIMEOUT);
	}

	/**
	 * Connects to a server, authenticates if the URI has credentials, and selects the
	 * database if the URI names one.
	 * @param uri {@code redis://[[user]:password@]host[:port][/database]}
	 * @param timeout for connecting and for each reply; 0 for no limit
	 * @return the open connection
	 * @throws UncheckedIOException if the server cannot be reached
	 * @throws RespException if the credentials or the database are refused
	 */
	public static RespClient connect(URI uri, Duration timeout) {
		RedisAddress address = RedisAddress.of(uri);
		RespClient client;
		try {
			client = new RespClient(new InetSocketAddress(address.host(), address.port()), timeout);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot connect to " + address.hostAndPort(), ex);
		}
		try {
			for (List<String> command : address.handshake()) {
				client.call(command.toArray(String[]::new));
			}
			return client;
		}
		catch (RuntimeException ex) {
			client.close();
			throw ex;
		}
	}

	/**
	 * Sends a command and waits for its reply.
	 * @param command the command and its arguments, sent as UTF-8
	 * @return a {@link String} for a status or a bulk string, a {@link Long}, a
	 * {@link List} of such replies (with a {@link RespException} for each error in the
	 * list), or null for nil
	 * @throws RespException if the server answers with an error
	 * @throws UncheckedIOException if the connection breaks or the reply does not come in
	 * time
	 */
	public synchronized @Nullable Object call(String... command) {
		send(command);
		Object reply = receive();
		if (reply instanceof RespException error) {
			throw new RespException(String.valueOf(error.getMessage()));
		}
		return reply;
	}

	/**
	 * Sends a command whose reply is a text.
	 * @param command the command and its arguments
	 * @return the reply; {@code nil} is the empty string
	 * @throws RespException if the server answers with an error
	 * @throws UncheckedIOException if the connection breaks or the reply does not come in
	 * time
	 */
	public String text(String... command) {
		Object reply = call(command);
		return (reply != null) ? reply.toString() : "";
	}

	/**
	 * Asks the server for the client address of this connection. A proxy or a container's
	 * network may change the address, so the local address of the socket may differ.
	 * @return for example {@code 127.0.0.1:50322}
	 * @throws UncheckedIOException if the connection breaks
	 */
	public String addressSeenByServer() {
		return Stream.of(text("CLIENT", "INFO").split(" "))
			.filter((field) -> field.startsWith("addr="))
			.map((field) -> field.substring("addr=".length()))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("CLIENT INFO has no addr"));
	}

	/**
	 * Closes the connection. A call that waits for a reply in another thread fails.
	 */
	@Override
	public void close() {
		try {
			this.socket.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Sends a command without waiting for its reply, which {@link #receive()} returns.
	 * @param command the command and its arguments, sent as UTF-8
	 * @throws UncheckedIOException if the connection breaks
	 */
	public void send(String... command) {
		ByteArrayOutputStream request = new ByteArrayOutputStream();
		request.writeBytes(ascii("*" + command.length + "\r\n"));
		for (String argument : command) {
			byte[] bytes = argument.getBytes(StandardCharsets.UTF_8);
			request.writeBytes(ascii("$" + bytes.length + "\r\n"));
			request.writeBytes(bytes);
			request.writeBytes(ascii("\r\n"));
		}
		try {
			request.writeTo(this.socket.getOutputStream());
		}
		catch (IOException ex) {
			throw broken(ex);
		}
	}

	/**
	 * Waits for the next reply: the reply to a command of {@link #send}, or a reply that
	 * the server pushes, as after MONITOR and SUBSCRIBE.
	 * @return the reply as {@link #call} returns it, or a {@link RespException}
	 * @throws UncheckedIOException if the connection breaks or the reply does not come in
	 * time
	 */
	public @Nullable Object receive() {
		try {
			return readReply();
		}
		catch (IOException ex) {
			throw broken(ex);
		}
	}

	private @Nullable Object readReply() throws IOException {
		String line = readLine();
		String rest = line.substring(1);
		return switch (line.charAt(0)) {
			case '+' -> rest;
			case '-' -> new RespException(rest);
			case ':' -> Long.valueOf(rest);
			case '$' -> readBulk(Integer.parseInt(rest));
			case '*' -> readList(Integer.parseInt(rest));
			default -> throw new IOException("Not a RESP2 reply: '" + line + "'");
		};
	}

	private @Nullable String readBulk(int length) throws IOException {
		if (length < 0) {
			return null;
		}
		byte[] bytes = this.in.readNBytes(length);
		if (bytes.length < length || !readLine().isEmpty()) {
			throw new EOFException("The reply ended early");
		}
		return new String(bytes, StandardCharsets.UTF_8);
	}

	private @Nullable List<@Nullable Object> readList(int size) throws IOException {
		if (size < 0) {
			return null;
		}
		List<@Nullable Object> list = new ArrayList<>(size);
		for (int i = 0; i < size; i++) {
			list.add(readReply());
		}
		return list;
	}

	private String readLine() throws IOException {
		ByteArrayOutputStream line = new ByteArrayOutputStream();
		int b;
		while ((b = this.in.read()) != '\r') {
			if (b < 0) {
				throw new EOFException("The server closed the connection");
			}
			line.write(b);
		}
		if (this.in.read() != '\n') {
			throw new EOFException("The reply ended early");
		}
		return line.toString(StandardCharsets.UTF_8);
	}

	private UncheckedIOException broken(IOException ex) {
		try {
			this.socket.close();
		}
		catch (IOException closing) {
			ex.addSuppressed(closing);
		}
		return new UncheckedIOException("Lost the connection to " + this.socket.getRemoteSocketAddress(), ex);
	}

	private static byte[] ascii(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

}
