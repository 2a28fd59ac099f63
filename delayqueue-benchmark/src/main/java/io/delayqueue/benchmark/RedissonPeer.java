package io.delayqueue.benchmark;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.redisson.Redisson;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/**
 * An implementation with Redisson's delayed queue and consumers of its destination queue.
 */
@SuppressWarnings("deprecation")
final class RedissonPeer implements Peer {

	/**
	 * The number of connections in addition to those of the consumers: the default size
	 * of Redisson's connection pool.
	 */
	private static final int FURTHER_CONNECTIONS = 64;

	private final RedissonClient redisson;

	private final RBlockingQueue<String> target;

	private final RDelayedQueue<String> delayed;

	private final List<Thread> consumers = new ArrayList<>();

	private volatile boolean closed;

	RedissonPeer(Target target, int consumers, Consumer<String> handler) {
		// Each consumer that waits for a message occupies a connection
		Config config = target.redisson(consumers + FURTHER_CONNECTIONS);
		config.setCodec(new StringCodec());
		this.redisson = Redisson.create(config);
		this.target = this.redisson.getBlockingQueue("benchmark");
		this.delayed = this.redisson.getDelayedQueue(this.target);
		for (int i = 0; i < consumers; i++) {
			this.consumers.add(BarePeer.daemon("redisson-consumer-" + i, () -> consume(handler)));
		}
	}

	private void consume(Consumer<String> handler) throws InterruptedException {
		while (!this.closed) {
			String payload = this.target.poll(200, TimeUnit.MILLISECONDS);
			if (payload != null) {
				handler.accept(payload);
			}
		}
	}

	@Override
	public void schedule(Message message) {
		this.delayed.offer(message.payload(), delay(message), TimeUnit.MILLISECONDS);
	}

	@Override
	public void scheduleAll(List<Message> messages) {
		List<CompletionStage<Void>> sent = new ArrayList<>(messages.size());
		for (Message message : messages) {
			sent.add(this.delayed.offerAsync(message.payload(), delay(message), TimeUnit.MILLISECONDS));
		}
		sent.forEach((one) -> one.toCompletableFuture().join());
	}

	private static long delay(Message message) {
		return Math.max(0, message.dueMillis() - System.currentTimeMillis());
	}

	@Override
	public long waiting() {
		return (long) this.delayed.size() + this.target.size();
	}

	@Override
	public void close() {
		this.closed = true;
		this.consumers.forEach(BarePeer::join);
		this.delayed.destroy();
		this.redisson.shutdown();
	}

}
