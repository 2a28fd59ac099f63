package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;

import io.delayqueue.record.FailureRecord;
import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ReadyMessages.Read;

/**
 * Reads messages for a consumer of the group: one call takes entries of the stream and
 * returns their records as of that instant. If the records are large, further calls
 * return the rest.
 */
final class GroupReader {

	/**
	 * The bytes of records in one reply, so that one call does not occupy Redis for long.
	 */
	private static final int ENOUGH_BYTES = 1 << 19;

	/** Number of values before those of messages, in calls and in replies. */
	private static final int HEAD = 3;

	/** Number of values of each returned message. */
	private static final int OF_MESSAGE = 6;

	private final RedisCalls calls;

	private final Partition partition;

	GroupReader(RedisCalls calls, Partition partition) {
		this.calls = calls;
		this.partition = partition;
	}

	Read read(String consumer, int count) {
		List<Entry> entries = new ArrayList<>();
		Reply reply = call(arguments(consumer, count, 0));
		for (int rest = add(reply, entries); rest < reply.size(); rest = add(reply, entries)) {
			byte[][] arguments = arguments(consumer, 0, reply.size() - rest);
			for (int i = HEAD; i < arguments.length; i++) {
				arguments[i] = reply.raw(rest + i - HEAD);
			}
			reply = call(arguments);
		}
		return new Read(entries, reply.number(1), reply.is("paused"));
	}

	private static byte[][] arguments(String consumer, int count, int more) {
		byte[][] arguments = new byte[HEAD + more][];
		arguments[0] = Reply.bytes(consumer);
		arguments[1] = Reply.bytes(count);
		arguments[2] = Reply.bytes(ENOUGH_BYTES);
		return arguments;
	}

	private Reply call(byte[][] arguments) {
		return this.calls.run(StoreScript.READ, this.partition, arguments);
	}

	/** Returns the index at which the messages without a record in the reply begin. */
	private static int add(Reply reply, List<Entry> entries) {
		int rest = HEAD + OF_MESSAGE * Math.toIntExact(reply.number(2));
		for (int at = HEAD; at < rest; at += OF_MESSAGE) {
			entries.add(new Entry(reply.text(at), reply.text(at + 1), reply.rawIfAny(at + 5),
					FailureRecord.from(reply.raw(at + 2)), reply.number(at + 4) == 1, expiry(reply.text(at + 3))));
		}
		return rest;
	}

	private static long expiry(String millis) {
		return millis.isEmpty() ? -1 : Long.parseLong(millis);
	}

}
