package io.delayqueue.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.delayqueue.benchmark.Scripts.Swept;
import io.delayqueue.benchmark.Scripts.Taken;
import redis.clients.jedis.Jedis;

/**
 * A client without the Java code of the starter, with one connection for each thread. One
 * thread sweeps. Another thread reads the messages that the sweeps do not deliver,
 * handles all messages and acknowledges them in batches. This client does not recover
 * from failures.
 */
final class BarePeer implements Peer {

	private static final int BULK = 500;

	private static final long LONGEST_NAP_MICROS = 2_000;

	private final Target target;

	private final Scripts.Factory factory;

	private final Consumer<String> handler;

	/**
	 * The batches of messages that sweeps have delivered. The number of pending messages
	 * is limited as in the starter.
	 */
	private final BlockingQueue<List<Taken>> delivered = new ArrayBlockingQueue<>(1);

	private final Semaphore ready = new Semaphore(0);

	private final List<Thread> threads = new ArrayList<>();

	private final Queue<Jedis> connections = new ConcurrentLinkedQueue<>();

	private final ThreadLocal<Scripts> own = ThreadLocal.withInitial(this::connect);

	private volatile boolean closed;

	BarePeer(Target target, Scripts.Factory factory, Consumer<String> handler) {
		this.target = target;
		this.factory = factory;
		this.handler = handler;
		this.own.get();
		this.threads.add(daemon("bare-sweep", this::sweep));
		this.threads.add(daemon("bare-consume", this::consume));
	}

	private Scripts connect() {
		Jedis connection = this.target.connect();
		this.connections.add(connection);
		return this.factory.on(connection);
	}

	private void sweep() throws InterruptedException {
		Scripts scripts = connect();
		while (!this.closed) {
			Swept swept = scripts.sweep();
			if (!swept.delivered().isEmpty()) {
				this.delivered.put(swept.delivered());
			}
			if (swept.moved() > 0 || !swept.delivered().isEmpty()) {
				this.ready.release();
				continue;
			}
			long wait = (swept.nextDueMillis() < 0) ? LONGEST_NAP_MICROS
					: Math.min(LONGEST_NAP_MICROS, swept.nextDueMillis() * 1000 - Ledger.nowMicros());
			if (wait > 0) {
				TimeUnit.MICROSECONDS.sleep(wait);
			}
		}
	}

	private void consume() throws InterruptedException {
		Scripts scripts = connect();
		while (!this.closed) {
			List<Taken> taken = this.delivered.poll();
			if (taken == null) {
				taken = scripts.read();
			}
			if (taken.isEmpty()) {
				this.ready.tryAcquire(LONGEST_NAP_MICROS, TimeUnit.MICROSECONDS);
				this.ready.drainPermits();
				continue;
			}
			taken.forEach((message) -> this.handler.accept(message.payload()));
			scripts.acknowledge(taken);
		}
	}

	@Override
	public void schedule(Message message) {
		this.own.get().schedule(List.of(message));
	}

	@Override
	public void scheduleAll(List<Message> messages) {
		for (int from = 0; from < messages.size(); from += BULK) {
			this.own.get().schedule(messages.subList(from, Math.min(messages.size(), from + BULK)));
		}
	}

	@Override
	public long waiting() {
		return this.own.get().waiting();
	}

	@Override
	public void close() {
		this.closed = true;
		this.threads.forEach(BarePeer::join);
		this.connections.forEach(Jedis::close);
	}

	/** A task of a thread that can be interrupted. */
	interface Work {

		void run() throws InterruptedException;

	}

	static Thread daemon(String name, Work work) {
		Thread thread = new Thread(() -> {
			try {
				work.run();
			}
			catch (InterruptedException ended) {
				Thread.currentThread().interrupt();
			}
		}, name);
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	static void join(Thread thread) {
		try {
			thread.join(TimeUnit.SECONDS.toMillis(10));
		}
		catch (InterruptedException interrupted) {
			Thread.currentThread().interrupt();
		}
	}

}
