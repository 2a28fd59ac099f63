package io.delayqueue.benchmark;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.params.XReadGroupParams;
import redis.clients.jedis.params.XTrimParams;
import redis.clients.jedis.resps.StreamEntry;

/**
 * A client that waits for Redis as rarely as possible, to measure the limit of Redis.
 * This client stores the same data as {@link RawScripts}. Except for the sweep, it sends
 * plain commands in pipelines instead of scripts. It makes no checks and does not recover
 * from failures.
 * <ol>
 * <li>Each thread that schedules messages one by one has its own connection, and sends up
 * to 32 calls before it waits for their replies.</li>
 * <li>In bulk, many messages are scheduled in one pipeline.</li>
 * <li>One thread sweeps. If no message is due, this thread sleeps until the next due
 * time, at most 2 ms.</li>
 * <li>One thread consumes. This thread acknowledges messages in one pipeline with the
 * next read, and trims the stream instead of deleting each entry. If no message is ready,
 * the thread blocks in XREADGROUP on a separate connection.</li>
 * </ol>
 * This client is the second reference of the benchmark, so its behaviour must not change.
 */
final class PipelinedPeer implements Peer {

	private static final int CALLS = 32;

	private static final int BATCH = 500;

	private static final long LONGEST_NAP_MICROS = 2_000;

	private static final int BLOCK_MILLIS = 100;

	private final Target target;

	private final Consumer<String> handler;

	private final String sweep;

	/** Guarded by this. */
	private final Jedis bulk;

	private final Queue<Jedis> connections = new ConcurrentLinkedQueue<>();

	private final List<Thread> threads = new ArrayList<>();

	private volatile boolean closed;

	PipelinedPeer(Target target, Consumer<String> handler) {
		this.target = target;
		this.handler = handler;
		this.bulk = connect();
		this.sweep = this.bulk.scriptLoad(RawScripts.SWEEP);
		RawScripts.createGroup(this.bulk);
		this.threads.add(BarePeer.daemon("pipelined-sweep", this::sweep));
		this.threads.add(BarePeer.daemon("pipelined-consume", this::consume));
	}

	private Jedis connect() {
		Jedis connection = this.target.connect();
		this.connections.add(connection);
		return connection;
	}

	@Override
	public synchronized void schedule(Message message) {
		scheduleAll(List.of(message));
	}

	/**
	 * Schedules the messages of a thread over a connection of its own, with up to 32
	 * calls that wait for their replies at the same time.
	 */
	@Override
	public void scheduleEach(Iterable<Message> messages) {
		try (Jedis connection = this.target.connect(); Pipeline pipeline = connection.pipelined()) {
			int unanswered = 0;
			for (Message message : messages) {
				store(pipeline, List.of(message));
				if (++unanswered == CALLS) {
					pipeline.sync();
					unanswered = 0;
				}
			}
		}
	}

	@Override
	public synchronized void scheduleAll(List<Message> messages) {
		try (Pipeline pipeline = this.bulk.pipelined()) {
			for (int from = 0; from < messages.size(); from += BATCH) {
				store(pipeline, messages.subList(from, Math.min(messages.size(), from + BATCH)));
			}
		}
	}

	/**
	 * Stores messages. The records are written first, so that each due message has a
	 * record.
	 */
	private static void store(Pipeline pipeline, List<Message> messages) {
		Map<String, String> records = new HashMap<>();
		Map<String, Double> dues = new HashMap<>();
		for (Message message : messages) {
			String id = message.id();
			records.put(id, message.payload());
			dues.put(id, (double) message.dueMillis());
		}
		pipeline.hset(RawScripts.MESSAGES, records);
		pipeline.zadd(RawScripts.DUE, dues);
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

	/**
	 * Acknowledges messages. The stream has only one consumer, so all entries before the
	 * last entry have been handled, and the stream can be trimmed.
	 */
	private static void acknowledge(Pipeline pipeline, List<StreamEntry> handled) {
		StreamEntryID last = handled.get(handled.size() - 1).getID();
		pipeline.hdel(RawScripts.MESSAGES, handled.stream().map(PipelinedPeer::id).toArray(String[]::new));
		pipeline.xtrim(RawScripts.READY,
				XTrimParams.xTrimParams().minId(new StreamEntryID(last.getTime(), last.getSequence() + 1).toString()));
		pipeline.xack(RawScripts.READY, RawScripts.GROUP,
				handled.stream().map(StreamEntry::getID).toArray(StreamEntryID[]::new));
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
