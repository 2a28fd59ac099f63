package io.delayqueue.test.fault;

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

import io.delayqueue.test.redis.RedisServer;

/**
 * A TCP proxy on the loopback interface between a client and a server that simulates
 * network faults. <pre>
 * try (FaultProxy proxy = FaultProxy.to(redis)) {
 *     // the client connects to proxy.uri()
 *     proxy.cutNextReply();
 * }
 * </pre>
 * <p>
 * A change of the fault applies at once, to open connections as well as to new ones;
 * bytes that were forwarded before are not affected. At first it forwards everything.
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
	 * Leads new connections to another server from now on, as behind a name or an address
	 * that moves. Open connections stay.
	 * @param server the other server
	 */
	public void redirectTo(RedisServer server) {
		this.upstream = new InetSocketAddress(server.host(), server.port());
	}

	/** Forwards everything from now on. */
	public void pass() {
		this.faults.set(Faults.Mode.PASS);
	}

	/**
	 * Delays every reply from now on.
	 * @param delay the delay, in whole milliseconds
	 */
	public void delay(Duration delay) {
		delay(delay, delay);
	}

	/**
	 * Delays every reply by a random time from now on.
	 * @param least the shortest delay
	 * @param most the longest delay, not less than the shortest
	 */
	public void delay(Duration least, Duration most) {
		this.faults.delay(least, most);
	}

	/**
	 * Closes both sides from now on instead of forwarding a request that contains a text:
	 * the server has received nothing, and the client cannot detect this.
	 * @param text searched in each chunk of received bytes; the name of a command, for
	 * example
	 */
	public void cutRequests(String text) {
		this.faults.set(Faults.Mode.CUT_REQUEST, text);
	}

	/**
	 * Applies {@link #cutRequests} to the next matching request only, and then forwards
	 * everything.
	 * @param text searched in each chunk of received bytes
	 */
	public void cutNextRequest(String text) {
		this.faults.set(Faults.Mode.CUT_NEXT_REQUEST, text);
	}

	/**
	 * Applies {@link #cutReply()} from now on to the reply of each request that contains
	 * a text, and forwards everything else.
	 * @param text searched in each chunk of received bytes
	 */
	public void cutRepliesTo(String text) {
		this.faults.set(Faults.Mode.CUT_REPLY_TO, text);
	}

	/**
	 * Applies {@link #cutRepliesTo} to the next matching request only, and then forwards
	 * everything.
	 * @param text searched in each chunk of received bytes
	 */
	public void cutNextReplyTo(String text) {
		this.faults.set(Faults.Mode.CUT_NEXT_REPLY_TO, text);
	}

	/**
	 * Runs an action when the next request arrives that contains a text, and forwards
	 * this request when the action has ended, and then everything.
	 * @param text searched in each chunk of received bytes
	 * @param action freezes the server, for example
	 */
	public void beforeNextRequest(String text, Runnable action) {
		this.faults.actBefore(text, action);
	}

	/**
	 * Silences the connections that are open now for good, in both directions and without
	 * an end of stream: a half-open link. New connections are not affected.
	 */
	public void silenceOpen() {
		this.connections.forEach(ProxiedConnection::silence);
	}

	/**
	 * Returns the number of requests and replies that were cut since the start.
	 * @return the count, never smaller than before
	 */
	public long cuts() {
		return this.faults.cuts();
	}

	/**
	 * Forwards requests from now on and swallows the replies, even the end of the
	 * connection: to the client the server is silent.
	 */
	public void blackhole() {
		this.faults.set(Faults.Mode.BLACKHOLE);
	}

	/**
	 * Forwards each request from now on and, when its reply begins, closes both sides
	 * instead of forwarding it: the server has executed the request, and the client
	 * cannot detect this.
	 */
	public void cutReply() {
		this.faults.set(Faults.Mode.CUT_REPLY);
	}

	/**
	 * Applies {@link #cutReply()} to the next reply on any connection only, and then
	 * forwards everything.
	 */
	public void cutNextReply() {
		this.faults.set(Faults.Mode.CUT_NEXT_REPLY);
	}

	/**
	 * Resets each new connection from now on as soon as it is accepted; it counts as
	 * accepted. Open connections are not affected.
	 */
	public void refuse() {
		this.faults.set(Faults.Mode.REFUSE);
	}

	/** Closes both sides of every open connection. */
	public void cutAll() {
		this.connections.forEach(ProxiedConnection::close);
	}

	/**
	 * Returns the number of connections that clients have opened since the start, refused
	 * ones included.
	 * @return the count, never smaller than before
	 */
	public long accepted() {
		return this.accepted.get();
	}

	/**
	 * Returns the number of open connections.
	 * @return 0 or more
	 */
	public int openConnections() {
		return this.connections.size();
	}

	/**
	 * Returns the host name.
	 * @return always {@code 127.0.0.1}
	 */
	public String host() {
		return "127.0.0.1";
	}

	/**
	 * Returns the port for clients.
	 * @return 1 to 65535
	 */
	public int port() {
		return this.listener.getLocalPort();
	}

	/**
	 * Returns the address for clients.
	 * @return for example {@code redis://127.0.0.1:40123}
	 */
	public URI uri() {
		return URI.create("redis://" + host() + ":" + port());
	}

	/** Stops accepting, and closes every open connection. */
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
				// the listener was closed, or this client left before it was served
			}
		}
	}

}
