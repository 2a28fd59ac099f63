package io.delayqueue.test.fault;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Set;

/**
 * One connection through a {@link FaultProxy}: two sockets, and a thread for each
 * direction.
 */
final class ProxiedConnection {

	private static final int BUFFER_SIZE = 64 * 1024;

	private final Socket client;

	private final Socket server;

	private final Faults faults;

	private final Set<ProxiedConnection> open;

	private volatile boolean silenced;

	private volatile boolean replyToBeCut;

	private ProxiedConnection(Socket client, Socket server, Faults faults, Set<ProxiedConnection> open) {
		this.client = client;
		this.server = server;
		this.faults = faults;
		this.open = open;
	}

	/**
	 * Connects a client with the server. If the server cannot be reached, the connection
	 * of the client is closed.
	 */
	static void open(Socket client, InetSocketAddress upstream, Faults faults, Set<ProxiedConnection> open)
			throws IOException {
		Socket server = new Socket();
		try {
			client.setTcpNoDelay(true);
			server.setTcpNoDelay(true);
			server.connect(upstream, 1_000);
		}
		catch (IOException ex) {
			client.close();
			server.close();
			throw ex;
		}
		ProxiedConnection connection = new ProxiedConnection(client, server, faults, open);
		open.add(connection);
		daemon("fault-proxy-requests", connection::forwardRequests);
		daemon("fault-proxy-replies", connection::forwardReplies);
	}

	static void daemon(String name, Runnable work) {
		Thread thread = new Thread(work, name);
		thread.setDaemon(true);
		thread.start();
	}

	boolean isClosed() {
		return this.client.isClosed();
	}

	/**
	 * Stops all traffic in both directions until the client or the server closes its
	 * connection.
	 */
	void silence() {
		this.silenced = true;
	}

	void close() {
		this.open.remove(this);
		for (Socket socket : new Socket[] { this.client, this.server }) {
			try {
				socket.close();
			}
			catch (IOException ex) {
				// the socket is already closed
			}
		}
		this.faults.connectionClosed();
	}

	private void forwardRequests() {
		byte[] buffer = new byte[BUFFER_SIZE];
		try {
			int length;
			while ((length = read(this.client, buffer)) > 0) {
				if (this.silenced) {
					continue;
				}
				this.faults.actBefore(buffer, length);
				if (this.faults.takeRequestCut(buffer, length)) {
					return;
				}
				if (this.faults.takeCutOfReplyTo(buffer, length)) {
					this.replyToBeCut = true;
				}
				if (!write(this.server, buffer, length)) {
					this.faults.awaitEndOfSilence(this);
					return;
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			close();
		}
	}

	private void forwardReplies() {
		byte[] buffer = new byte[BUFFER_SIZE];
		try {
			int length;
			while ((length = read(this.server, buffer)) > 0) {
				if (this.replyToBeCut || this.faults.takeCut()) {
					return;
				}
				this.faults.awaitDelay();
				if (!this.silenced && !this.faults.swallows() && !write(this.client, buffer, length)) {
					return;
				}
			}
			this.faults.awaitEndOfSilence(this);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			close();
		}
	}

	/** Reads from a socket; returns -1 if the connection has ended for any reason. */
	private static int read(Socket socket, byte[] buffer) {
		try {
			return socket.getInputStream().read(buffer);
		}
		catch (IOException ex) {
			return -1;
		}
	}

	private static boolean write(Socket socket, byte[] buffer, int length) {
		try {
			socket.getOutputStream().write(buffer, 0, length);
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

}
