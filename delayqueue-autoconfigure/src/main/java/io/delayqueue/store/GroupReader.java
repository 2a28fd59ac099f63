package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;

import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ReadyMessages.Read;

/**
 * Reads as a consumer group does: one call takes entries of the stream and tells what
 * they stand for at that instant. Where their records are many bytes, further calls tell
 * of the rest.
 */
final class GroupReader {

	/**
	 * Records of so many bytes in all are told at once: Redis has more to do than that.
	 */
	private static final int ENOUGH_BYTES = 1 << 19;

	/** Values before those of messages, in calls and in replies. */
	private static final int HEAD = 3;

	/** Values of each message that is told. */
	private static final int OF_TOLD = 6;

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
		return new Read(entries, reply.number(0), reply.number(1) == 1);
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

	/** Says where the rest begins that is not told. */
	private static int add(Reply reply, List<Entry> entries) {
		int rest = HEAD + OF_TOLD * Math.toIntExact(reply.number(2));
		for (int at = HEAD; at < rest; at += OF_TOLD) {
			entries.add(new Entry(reply.text(at), reply.text(at + 1), reply.rawIfAny(at + 5),
					FailureRecord.from(reply.raw(at + 2)), reply.number(at + 4) == 1, expiry(reply.text(at + 3))));
		}
		return rest;
	}

	private static long expiry(String told) {
		return told.isEmpty() ? -1 : Long.parseLong(told);
	}

}
