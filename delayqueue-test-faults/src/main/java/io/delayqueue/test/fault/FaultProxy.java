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
 * A TCP proxy that simulates network faults between a client and a server on the loopback
 * interface. <pre>
 * try (FaultProxy proxy = FaultProxy.to(redis)) {
 *     // the client connects to proxy.uri()
 *     proxy.cutNextReply();
 * }
 * </pre>
 * <p>
 * A new proxy forwards everything. A change of the fault applies at once to open and new
 * connections; bytes that were forwarded before are not affected.
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
	 * Connects new clients to another server from now on, as if a host name or an address
	 * had moved. Open connections stay connected to the old server.
	 * @param server the other server
	 */
	public void redirectTo(RedisServer server) {
		this.upstream = new InetSocketAddress(server.host(), server.port());
	}

	/** Forwards all requests and replies from now on. */
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
	 * @param most the longest delay, not shorter than {@code least}
	 */
	public void delay(Duration least, Duration most) {
		this.faults.delay(least, most);
	}

	/**
	 * From now on, if a request contains a text, the proxy closes the connections to
	 * client and server instead of forwarding the request. The server has not received
	 * the request, and the client cannot detect this.
	 * @param text the text to search in each chunk of received bytes, for example the
	 * name of a command
	 */
	public void cutRequests(String text) {
		this.faults.set(Faults.Mode.CUT_REQUEST, text);
	}

	/**
	 * Applies {@link #cutRequests} to the next matching request only, and then forwards
	 * everything.
	 * @param text the text to search in each chunk of received bytes
	 */
	public void cutNextRequest(String text) {
		this.faults.set(Faults.Mode.CUT_NEXT_REQUEST, text);
	}

	/**
	 * Applies {@link #cutReply()} from now on to the reply to each request that contains
	 * a text, and forwards everything else.
	 * @param text the text to search in each chunk of received bytes
	 */
	public void cutRepliesTo(String text) {
		this.faults.set(Faults.Mode.CUT_REPLY_TO, text);
	}

	/**
	 * Applies {@link #cutRepliesTo} to the next matching request only, and then forwards
	 * everything.
	 * @param text the text to search in each chunk of received bytes
	 */
	public void cutNextReplyTo(String text) {
		this.faults.set(Faults.Mode.CUT_NEXT_REPLY_TO, text);
	}

	/**
	 * Runs an action when the next request that contains a text arrives. The proxy
	 * forwards this request, and everything after it, when the action has ended.
	 * @param text the text to search in each chunk of received bytes
	 * @param action the action, which for example freezes the server
	 */
	public void beforeNextRequest(String text, Runnable action) {
		this.faults.actBefore(text, action);
	}

	/**
	 * Stops all traffic over the connections that are open now, in both directions and
	 * without closing them, as a half-open TCP connection does. New connections are not
	 * affected.
	 */
	public void silenceOpen() {
		this.connections.forEach(ProxiedConnection::silence);
	}

	/**
	 * Returns the number of requests and replies that the proxy has cut since its start.
	 * @return the count, never smaller than before
	 */
	public long cuts() {
		return this.faults.cuts();
	}

	/**
	 * Forwards requests from now on, and swallows the replies, even the end of the
	 * connection. So the server seems silent to the client.
	 */
	public void blackhole() {
		this.faults.set(Faults.Mode.BLACKHOLE);
	}

	/**
	 * Forwards each request from now on. When the reply to a request begins, the proxy
	 * closes the connections to client and server instead of forwarding the reply. The
	 * server has executed the request, and the client cannot detect this.
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
	 * Resets each new connection from now on as soon as it is accepted. A reset
	 * connection counts as accepted. Open connections are not affected.
	 */
	public void refuse() {
		this.faults.set(Faults.Mode.REFUSE);
	}

	/** Closes every open connection, both to the client and to the server. */
	public void cutAll() {
		this.connections.forEach(ProxiedConnection::close);
	}

	/**
	 * Returns the number of connections that clients have opened since the start of the
	 * proxy, including refused connections.
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
	 * Returns the host of the proxy for clients.
	 * @return always {@code 127.0.0.1}
	 */
	public String host() {
		return "127.0.0.1";
	}

	/**
	 * Returns the port of the proxy for clients.
	 * @return 1 to 65535
	 */
	public int port() {
		return this.listener.getLocalPort();
	}

	/**
	 * Returns the address of the proxy for clients.
	 * @return for example {@code redis://127.0.0.1:40123}
	 */
	public URI uri() {
		return URI.create("redis://" + host() + ":" + port());
	}

	/** Stops accepting connections, and closes every open connection. */
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
				// the proxy was closed, or the client closed its connection before it was
				// served
			}
		}
	}

}
