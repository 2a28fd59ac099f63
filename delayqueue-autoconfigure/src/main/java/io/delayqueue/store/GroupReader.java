package io.delayqueue.store;

import java.util.ArrayList;
import java.util.List;

import io.delayqueue.store.ReadyMessages.Entry;
import io.delayqueue.store.ReadyMessages.Read;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.stream.ByteRecord;
import org.springframework.data.redis.connection.stream.Consumer;
import org.springframework.data.redis.connection.stream.ReadOffset;
import org.springframework.data.redis.connection.stream.StreamOffset;
import org.springframework.data.redis.connection.stream.StreamReadOptions;

/**
 * Reads as a consumer group does: takes entries of the stream, and then looks at one
 * instant at what they stand for.
 */
final class GroupReader {

	/**
	 * Records of so many bytes in all are taken at once: Redis has more to do than that.
	 */
	private static final int ENOUGH_BYTES = 1 << 19;

	private static final int HEAD_OF_FENCE = 2;

	/** Values of the fence for each id. */
	private static final int OF_FENCE = 4;

	private final RedisCalls calls;

	private final Partition partition;

	GroupReader(RedisCalls calls, Partition partition) {
		this.calls = calls;
		this.partition = partition;
	}

	Read read(String consumer, int count) {
		List<ByteRecord> delivered = take(consumer, count);
		List<Entry> entries = new ArrayList<>(delivered.size());
		long nowMicros = 0;
		boolean paused = false;
		while (entries.size() < delivered.size()) {
			List<ByteRecord> untold = delivered.subList(entries.size(), delivered.size());
			Reply fence = this.calls.run(StoreScript.FENCE, this.partition, fenceArguments(untold));
			nowMicros = fence.number(0);
			paused = fence.number(1) == 1;
			for (int at = HEAD_OF_FENCE; at < fence.size(); at += OF_FENCE) {
				entries.add(entry(untold.get((at - HEAD_OF_FENCE) / OF_FENCE), fence, at));
			}
		}
		return new Read(entries, nowMicros, paused);
	}

	private static byte[][] fenceArguments(List<ByteRecord> delivered) {
		byte[][] arguments = new byte[1 + delivered.size()][];
		arguments[0] = Reply.bytes(ENOUGH_BYTES);
		for (int i = 0; i < delivered.size(); i++) {
			arguments[1 + i] = id(delivered.get(i));
		}
		return arguments;
	}

	private static byte[] id(ByteRecord delivered) {
		return delivered.getValue().values().iterator().next();
	}

	private static Entry entry(ByteRecord delivered, Reply fence, int at) {
		String entry = delivered.getId().getValue();
		boolean own = fence.text(at).equals(entry);
		byte @Nullable [] record = own ? fence.rawIfAny(at + 3) : null;
		return new Entry(entry, Reply.text(id(delivered)), record, FailureRecord.from(fence.raw(at + 1)),
				own && record == null, expiry(fence.text(at + 2)));
	}

	private static long expiry(String told) {
		return told.isEmpty() ? -1 : Long.parseLong(told);
	}

	private List<ByteRecord> take(String consumer, int count) {
		byte[] stream = this.calls.key(this.partition, Key.READY);
		Consumer member = Consumer.from(KeySpace.GROUP, consumer);
		StreamReadOptions options = StreamReadOptions.empty().count(count);
		StreamOffset<byte[]> undelivered = StreamOffset.create(stream, ReadOffset.lastConsumed());
		try {
			return take(member, options, undelivered);
		}
		catch (StoreException failure) {
			if (!"NOGROUP".equals(FailureKind.code(failure))) {
				throw failure;
			}
			this.calls.run(StoreScript.GROUP, this.partition, Reply.bytes(KeySpace.GROUP));
			return take(member, options, undelivered);
		}
	}

	@SuppressWarnings("unchecked")
	private List<ByteRecord> take(Consumer member, StreamReadOptions options, StreamOffset<byte[]> offset) {
		List<ByteRecord> records = this.calls.command(this.partition, Key.READY,
				(connection) -> connection.streamCommands().xReadGroup(member, options, offset));
		return (records != null) ? records : List.of();
	}

}
