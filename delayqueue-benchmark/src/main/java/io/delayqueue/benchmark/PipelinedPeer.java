package io.delayqueue.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.params.XReadGroupParams;
import redis.clients.jedis.resps.StreamEntry;

/**
 * The limit of Redis: a client that never waits for Redis without need, with the scripts
 * of {@link RawScripts}, without checks and without recovery from failures.
 * <ol>
 * <li>Calls of several threads go to Redis together, on two connections, so that Redis
 * works on one group of calls while the threads of the other one are woken up.</li>
 * <li>Many messages are scheduled in one pipeline of scripts.</li>
 * <li>One thread sweeps. It sleeps until the next message is due, at most 2 ms.</li>
 * <li>One thread consumes. It acknowledges in one pipeline with the next read; if nothing
 * is ready, it blocks in XREADGROUP on a connection of its own.</li>
 * </ol>
 * It is the second reference of the benchmark, so it must not change.
 */
final class PipelinedPeer implements Peer {

	private static final int SENDERS = 2;

	private static final int BATCH = 500;

	private static final long LONGEST_NAP_MICROS = 2_000;

	private static final int BLOCK_MILLIS = 100;

	private final Target target;

	private final Consumer<String> handler;

	private final String schedule;

	private final String sweep;

	private final String acknowledge;

	/** Guarded by this. */
	private final Jedis bulk;

	private final Queue<Call> calls = new ConcurrentLinkedQueue<>();

	private final Queue<Jedis> idleSenders = new ConcurrentLinkedQueue<>();

	private final Queue<Jedis> connections = new ConcurrentLinkedQueue<>();

	private final List<Thread> threads = new ArrayList<>();

	private volatile boolean closed;

	PipelinedPeer(Target target, Consumer<String> handler) {
		this.target = target;
		this.handler = handler;
		this.bulk = connect();
		this.schedule = this.bulk.scriptLoad(RawScripts.SCHEDULE);
		this.sweep = this.bulk.scriptLoad(RawScripts.SWEEP);
		this.acknowledge = this.bulk.scriptLoad(RawScripts.ACKNOWLEDGE);
		RawScripts.createGroup(this.bulk);
		while (this.idleSenders.size() < SENDERS) {
			this.idleSenders.add(connect());
		}
		this.threads.add(BarePeer.daemon("pipelined-sweep", this::sweep));
		this.threads.add(BarePeer.daemon("pipelined-consume", this::consume));
	}

	private Jedis connect() {
		Jedis connection = this.target.connect();
		this.connections.add(connection);
		return connection;
	}

	/** A thread that waits until its message is stored. */
	private static final class Call {

		private final Message message;

		private final Thread caller = Thread.currentThread();

		private volatile boolean taken;

		private volatile boolean stored;

		Call(Message message) {
			this.message = message;
		}

	}

	/**
	 * Sends the waiting calls of all threads if a connection is idle; else waits for the
	 * thread that sends this one.
	 */
	@Override
	public void schedule(Message message) {
		Call call = new Call(message);
		this.calls.add(call);
		while (!call.stored) {
			Jedis sender = call.taken ? null : this.idleSenders.poll();
			if (sender == null) {
				LockSupport.park(this);
			}
			else {
				send(sender);
			}
		}
	}

	private void send(Jedis sender) {
		List<Call> group = new ArrayList<>();
		List<String> arguments = new ArrayList<>();
		for (Call next = this.calls.poll(); next != null; next = this.calls.poll()) {
			next.taken = true;
			group.add(next);
			RawScripts.add(arguments, next.message);
		}
		if (!group.isEmpty()) {
			sender.evalsha(this.schedule, List.of(RawScripts.DUE, RawScripts.MESSAGES), arguments);
		}
		this.idleSenders.add(sender);
		Call waiting = this.calls.peek();
		if (waiting != null) {
			LockSupport.unpark(waiting.caller);
		}
		for (Call sent : group) {
			sent.stored = true;
			LockSupport.unpark(sent.caller);
		}
	}

	@Override
	public synchronized void scheduleAll(List<Message> messages) {
		try (Pipeline pipeline = this.bulk.pipelined()) {
			for (int from = 0; from < messages.size(); from += BATCH) {
				List<String> arguments = new ArrayList<>();
				messages.subList(from, Math.min(messages.size(), from + BATCH))
					.forEach((message) -> RawScripts.add(arguments, message));
				pipeline.evalsha(this.schedule, List.of(RawScripts.DUE, RawScripts.MESSAGES), arguments);
			}
			pipeline.sync();
		}
	}

	private void sweep() throws InterruptedException {
		Jedis connection = connect();
		while (!this.closed) {
			List<?> reply = (List<?>) connection.evalsha(this.sweep, List.of(RawScripts.DUE, RawScripts.READY),
					List.of(Integer.toString(BATCH)));
			if ((Long) reply.get(0) == 0) {
				long next = (Long) reply.get(1);
				long wait = (next < 0) ? LONGEST_NAP_MICROS
						: Math.min(LONGEST_NAP_MICROS, next * 1000 - Ledger.nowMicros());
				TimeUnit.MICROSECONDS.sleep(Math.max(0, wait));
			}
		}
	}

	private void consume() {
		Jedis blocking = connect();
		try (Pipeline pipeline = connect().pipelined()) {
			List<StreamEntry> handled = List.of();
			while (!this.closed || !handled.isEmpty()) {
				if (!handled.isEmpty()) {
					acknowledge(pipeline, handled);
				}
				Response<List<Map.Entry<String, List<StreamEntry>>>> ready = pipeline.xreadGroup(RawScripts.GROUP,
						"consumer", XReadGroupParams.xReadGroupParams().count(BATCH),
						Map.of(RawScripts.READY, StreamEntryID.XREADGROUP_UNDELIVERED_ENTRY));
				pipeline.sync();
				List<StreamEntry> entries = entries(ready.get());
				if (entries.isEmpty()) {
					entries = entries(blocking.xreadGroup(RawScripts.GROUP, "consumer",
							XReadGroupParams.xReadGroupParams().count(BATCH).block(BLOCK_MILLIS),
							Map.of(RawScripts.READY, StreamEntryID.XREADGROUP_UNDELIVERED_ENTRY)));
				}
				if (!entries.isEmpty()) {
					Response<List<String>> payloads = pipeline.hmget(RawScripts.MESSAGES,
							entries.stream().map(PipelinedPeer::id).toArray(String[]::new));
					pipeline.sync();
					payloads.get().forEach(this.handler);
				}
				handled = entries;
			}
		}
	}

	private void acknowledge(Pipeline pipeline, List<StreamEntry> handled) {
		List<String> arguments = new ArrayList<>(2 * handled.size());
		for (StreamEntry entry : handled) {
			arguments.add(entry.getID().toString());
			arguments.add(id(entry));
		}
		pipeline.evalsha(this.acknowledge, List.of(RawScripts.MESSAGES, RawScripts.READY), arguments);
	}

	private static List<StreamEntry> entries(@Nullable List<Map.Entry<String, List<StreamEntry>>> read) {
		if (read == null || read.isEmpty()) {
			return List.of();
		}
		return read.get(0).getValue();
	}

	private static String id(StreamEntry entry) {
		return Objects.requireNonNull(entry.getFields().get("id"));
	}

	@Override
	public synchronized long waiting() {
		return this.bulk.hlen(RawScripts.MESSAGES);
	}

	@Override
	public void close() {
		this.closed = true;
		this.threads.forEach(BarePeer::join);
		this.connections.forEach(Jedis::close);
	}

}
