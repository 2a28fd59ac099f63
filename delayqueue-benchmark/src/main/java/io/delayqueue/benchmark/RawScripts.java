package io.delayqueue.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.params.XReadGroupParams;
import redis.clients.jedis.resps.StreamEntry;

/**
 * Minimal scripts for delayed messages, with a sorted set, a hash and a stream of ids,
 * and without checks. These scripts are the reference of the benchmark, so they must not
 * change.
 */
final class RawScripts implements Scripts {

	static final String DUE = "raw:{benchmark}:due";

	static final String MESSAGES = "raw:{benchmark}:messages";

	static final String READY = "raw:{benchmark}:ready";

	static final String GROUP = "raw";

	private static final int BATCH = 200;

	private static final int BLOCK_MILLIS = 100;

	private static final String SCHEDULE = """
			local places, records = {}, {}
			for i = 1, #ARGV, 3 do
			  places[#places + 1] = ARGV[i + 1]
			  places[#places + 1] = ARGV[i]
			  records[#records + 1] = ARGV[i]
			  records[#records + 1] = ARGV[i + 2]
			end
			redis.call('ZADD', KEYS[1], unpack(places))
			redis.call('HSET', KEYS[2], unpack(records))
			return 1
			""";

	static final String SWEEP = """
			local time = redis.call('TIME')
			local ids = redis.call('ZRANGE', KEYS[1], '-inf', time[1] * 1000 + math.floor(time[2] / 1000), 'BYSCORE',
			  'LIMIT', 0, ARGV[1])
			for _, id in ipairs(ids) do
			  redis.call('XADD', KEYS[2], '*', 'id', id)
			end
			if #ids > 0 then
			  redis.call('ZREM', KEYS[1], unpack(ids))
			end
			local head = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
			return {#ids, tonumber(head[2] or '-1')}
			""";

	private static final String ACKNOWLEDGE = """
			local ids, entries = {}, {}
			for i = 1, #ARGV, 2 do
			  entries[#entries + 1] = ARGV[i]
			  ids[#ids + 1] = ARGV[i + 1]
			end
			redis.call('HDEL', KEYS[1], unpack(ids))
			redis.call('XDEL', KEYS[2], unpack(entries))
			redis.call('XACK', KEYS[2], 'raw', unpack(entries))
			return 1
			""";

	private final Jedis connection;

	private final String schedule;

	private final String sweep;

	private final String acknowledge;

	RawScripts(Jedis connection) {
		this.connection = connection;
		this.schedule = connection.scriptLoad(SCHEDULE);
		this.sweep = connection.scriptLoad(SWEEP);
		this.acknowledge = connection.scriptLoad(ACKNOWLEDGE);
		createGroup(connection);
	}

	static void createGroup(Jedis connection) {
		if (!connection.exists(READY)) {
			connection.xgroupCreate(READY, GROUP, new StreamEntryID(0, 0), true);
		}
	}

	@Override
	public void schedule(List<Message> messages) {
		List<String> arguments = new ArrayList<>(3 * messages.size());
		for (Message message : messages) {
			arguments.add(message.id());
			arguments.add(Long.toString(message.dueMillis()));
			arguments.add(message.payload());
		}
		this.connection.evalsha(this.schedule, List.of(DUE, MESSAGES), arguments);
	}

	@Override
	public Swept sweep() {
		List<?> reply = (List<?>) this.connection.evalsha(this.sweep, List.of(DUE, READY),
				List.of(Integer.toString(BATCH)));
		return new Swept((Long) reply.get(0), (Long) reply.get(1), List.of());
	}

	/** Waits in Redis until there is a message, at most for 100 ms. */
	@Override
	public List<Taken> read() {
		List<Map.Entry<String, List<StreamEntry>>> read = this.connection.xreadGroup(GROUP, "consumer",
				XReadGroupParams.xReadGroupParams().count(BATCH).block(BLOCK_MILLIS),
				Map.of(READY, StreamEntryID.XREADGROUP_UNDELIVERED_ENTRY));
		if (read == null || read.isEmpty()) {
			return List.of();
		}
		List<StreamEntry> entries = read.get(0).getValue();
		String[] ids = entries.stream().map((entry) -> entry.getFields().get("id")).toArray(String[]::new);
		List<String> payloads = this.connection.hmget(MESSAGES, ids);
		List<Taken> taken = new ArrayList<>(ids.length);
		for (int i = 0; i < ids.length; i++) {
			taken.add(new Taken(entries.get(i).getID().toString(), ids[i], payloads.get(i), ""));
		}
		return taken;
	}

	@Override
	public void acknowledge(List<Taken> handled) {
		List<String> arguments = new ArrayList<>(2 * handled.size());
		for (Taken taken : handled) {
			arguments.add(taken.entry());
			arguments.add(taken.id());
		}
		this.connection.evalsha(this.acknowledge, List.of(MESSAGES, READY), arguments);
	}

	@Override
	public long waiting() {
		return this.connection.hlen(MESSAGES);
	}

}
