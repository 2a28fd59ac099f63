package io.delayqueue.test.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A TCP proxy on the loopback interface that stands between a client and a server and
 * does to them what networks do. <pre>
 * try (FaultProxy proxy = FaultProxy.to(redis)) {
 *     // the client connects to proxy.uri()
 *     proxy.cutNextReply();
 * }
 * </pre>
 * <p>
 * A change of the fault holds at once, for open connections as well as for new ones;
 * bytes that were forwarded before are not called back. Begins by passing everything on.
 * <p>
 * Safe for use by several threads.
 */
public final class FaultProxy implements AutoCloseable {

	private volatile InetSocketAddress upstream;

	private final ServerSocket listener;

	private final Faults faults = new Faults();

	private final Set<ProxiedConnection> connections = ConcurrentHashMap.newKeySet();

	private final AtomicLong accepted = new AtomicLong();

	private FaultProxy(InetSocketAddress upstream) {
		this.upstream = upstream;
		try {
			this.listener = new ServerSocket();
			this.listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1_024);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		ProxiedConnection.daemon("fault-proxy-" + port(), this::accept);
	}

	/**
	 * Starts a proxy in front of a server.
	 * @param server the server; it may stop and start again behind the proxy
	 * @return the proxy, which accepts connections
	 */
	public static FaultProxy to(RedisServer server) {
		return to(server.host(), server.port());
	}

	/**
	 * Starts a proxy in front of an address.
	 * @param host the host name or address
	 * @param port 1 to 65535
	 * @return the proxy, which accepts connections
	 */
	public static FaultProxy to(String host, int port) {
		return new FaultProxy(new InetSocketAddress(host, port));
	}

	/**
	 * From now on new connections lead to another server, as behind a name or an address
	 * that moves. Open connections stay where they are.
	 * @param server the other server
	 */
	public void redirectTo(RedisServer server) {
		this.upstream = new InetSocketAddress(server.host(), server.port());
	}

	/**
	 * From now on pass everything on.
	 */
	public void pass() {
		this.faults.set(Faults.Mode.PASS);
	}

	/**
	 * From now on hold back every reply for a while.
	 * @param delay how long, in whole milliseconds
	 */
	public void delay(Duration delay) {
		delay(delay, delay);
	}

	/**
	 * From now on hold back every reply for a while, each for another time.
	 * @param least the shortest time
	 * @param most the longest time, not less than the shortest
	 */
	public void delay(Duration least, Duration most) {
		this.faults.delay(least, most);
	}

	/**
	 * From now on close both sides instead of passing on a request that contains a text:
	 * the server has seen nothing and the client cannot know.
	 * @param text looked for in what arrives at once; the name of a command, for example
	 */
	public void cutRequests(String text) {
		this.faults.set(Faults.Mode.CUT_REQUEST, text);
	}

	/**
	 * Do as {@link #cutRequests} with the one request that comes next, and then pass
	 * everything on.
	 * @param text looked for in what arrives at once
	 */
	public void cutNextRequest(String text) {
		this.faults.set(Faults.Mode.CUT_NEXT_REQUEST, text);
	}

	/**
	 * From now on do as {@link #cutReply()} with the reply to each request that contains
	 * a text, and pass everything else on.
	 * @param text looked for in what arrives at once
	 */
	public void cutRepliesTo(String text) {
		this.faults.set(Faults.Mode.CUT_REPLY_TO, text);
	}

	/**
	 * Do as {@link #cutRepliesTo} with the one such request that comes next, and then
	 * pass everything on.
	 * @param text looked for in what arrives at once
	 */
	public void cutNextReplyTo(String text) {
		this.faults.set(Faults.Mode.CUT_NEXT_REPLY_TO, text);
	}

	/**
	 * The connections that are open at this moment fall silent for good, in both
	 * directions and without an end: a half-open link. New ones are not touched.
	 */
	public void silenceOpen() {
		this.connections.forEach(ProxiedConnection::silence);
	}

	/**
	 * How many requests and replies were cut since the start.
	 * @return the count, never smaller than before
	 */
	public long cuts() {
		return this.faults.cuts();
	}

	/**
	 * From now on pass requests on and swallow what comes back, even the end of the
	 * connection: to the client the server has fallen silent.
	 */
	public void blackhole() {
		this.faults.set(Faults.Mode.BLACKHOLE);
	}

	/**
	 * From now on pass each request on and, when its reply begins, close both sides
	 * instead of delivering it: the server has done the work and the client cannot know.
	 */
	public void cutReply() {
		this.faults.set(Faults.Mode.CUT_REPLY);
	}

	/**
	 * Do as {@link #cutReply()} with the one reply that comes next on any connection, and
	 * then pass everything on.
	 */
	public void cutNextReply() {
		this.faults.set(Faults.Mode.CUT_NEXT_REPLY);
	}

	/**
	 * From now on reset each new connection as soon as it is accepted; it counts as
	 * accepted. Open connections are not touched.
	 */
	public void refuse() {
		this.faults.set(Faults.Mode.REFUSE);
	}

	/**
	 * Closes both sides of every open connection.
	 */
	public void cutAll() {
		this.connections.forEach(ProxiedConnection::close);
	}

	/**
	 * How many connections clients have opened since the start, refused ones included.
	 * @return the count, never smaller than before
	 */
	public long accepted() {
		return this.accepted.get();
	}

	/**
	 * How many connections are open at this moment.
	 * @return 0 or more
	 */
	public int openConnections() {
		return this.connections.size();
	}

	/**
	 * The host name.
	 * @return always {@code 127.0.0.1}
	 */
	public String host() {
		return "127.0.0.1";
	}

	/**
	 * The port that clients connect to.
	 * @return 1 to 65535
	 */
	public int port() {
		return this.listener.getLocalPort();
	}

	/**
	 * Where clients connect to.
	 * @return for example {@code redis://127.0.0.1:40123}
	 */
	public URI uri() {
		return URI.create("redis://" + host() + ":" + port());
	}

	/**
	 * Stops accepting, and closes every open connection.
	 */
	@Override
	public void close() {
		try {
			this.listener.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		cutAll();
	}

	private void accept() {
		while (!this.listener.isClosed()) {
			try {
				Socket client = this.listener.accept();
				this.accepted.incrementAndGet();
				if (this.faults.refuses()) {
					client.setSoLinger(true, 0);
					client.close();
				}
				else {
					ProxiedConnection.open(client, this.upstream, this.faults, this.connections);
					if (this.listener.isClosed()) {
						cutAll();
					}
				}
			}
			catch (IOException ex) {
				// the listener was closed, or this one client left before it was served
			}
		}
	}

}
