package io.delayqueue.benchmark.micro;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.delayqueue.record.Envelope;
import io.delayqueue.record.MessageRecord;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures the encoding and decoding of the record of a message with a payload of 256
 * bytes.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class CodecBenchmark {

	private static final byte[] PAYLOAD = "p".repeat(256).getBytes(StandardCharsets.UTF_8);

	private final Envelope plain = new Envelope("token000001", null, Map.of(), PAYLOAD);

	private final Envelope withHeaders = new Envelope("token000001", "user-1", Map.of("tenant", "a", "trace", "b"),
			PAYLOAD);

	private final byte[] plainRecord = record(this.plain);

	private final byte[] recordWithHeaders = record(this.withHeaders);

	private static byte[] record(Envelope envelope) {
		byte[] head = "10001800000000000".getBytes(StandardCharsets.UTF_8);
		byte[] bytes = envelope.toBytes();
		byte[] record = new byte[head.length + bytes.length];
		System.arraycopy(head, 0, record, 0, head.length);
		System.arraycopy(bytes, 0, record, head.length, bytes.length);
		return record;
	}

	@Benchmark
	public byte[] write() {
		return this.plain.toBytes();
	}

	@Benchmark
	public byte[] writeWithGroupAndHeaders() {
		return this.withHeaders.toBytes();
	}

	@Benchmark
	public MessageRecord read() {
		return MessageRecord.from(this.plainRecord);
	}

	@Benchmark
	public MessageRecord readWithGroupAndHeaders() {
		return MessageRecord.from(this.recordWithHeaders);
	}

}
