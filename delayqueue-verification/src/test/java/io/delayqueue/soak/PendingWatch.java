package io.delayqueue.soak;

import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.delayqueue.process.fixture.Journal.Writer;
import io.delayqueue.process.fixture.Servers;
import io.delayqueue.test.redis.RespClient;
import io.delayqueue.test.redis.RespException;

/**
 * Counts the pending messages of the limited queue again and again. On a cluster the
 * partitions cannot be counted at one moment, and nothing is counted.
 */
final class PendingWatch implements AutoCloseable {

	private static final String SUM = """
			local sum = 0
			for _, ready in ipairs(KEYS) do
			  local pending = redis.pcall('XPENDING', ready, 'consumers')
			  sum = sum + (pending.err and 0 or pending[1])
			end
			return sum""";

	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

	private static final long AFTER_OUTAGE_MILLIS = 20;

	private final Servers servers;

	private final Writer journal;

	private final Thread thread;

	private volatile boolean closed;

	private volatile long most;

	PendingWatch(Servers servers, Writer journal) {
		this.servers = servers;
		this.journal = journal;
		this.thread = new Thread(this::run, "pending-watch");
		if (servers.all().size() == 1) {
			this.thread.start();
		}
	}

	/** The most messages that were pending at a moment. */
	long most() {
		return this.most;
	}

	private void run() {
		while (!this.closed) {
			try (RespClient client = this.servers.all().get(0).client()) {
				while (!this.closed) {
					count(pending(client));
					LockSupport.parkNanos(PAUSE_NANOS);
				}
			}
			catch (UncheckedIOException | RespException outage) {
				Faults.pause(AFTER_OUTAGE_MILLIS);
			}
		}
	}

	private void count(long pending) {
		if (pending > this.most) {
			this.most = pending;
			this.journal.add("pending", LimitedQueue.NAME, 0, pending);
		}
	}

	private static long pending(RespClient client) {
		Object sum = client.call("EVAL", SUM, "2", "dq:{" + LimitedQueue.NAME + ":0}:ready",
				"dq:{" + LimitedQueue.NAME + ":1}:ready");
		return (sum instanceof Long number) ? number : 0;
	}

	@Override
	public void close() {
		this.closed = true;
	}

}
