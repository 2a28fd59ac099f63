package io.delayqueue.benchmark;

import java.util.List;
import java.util.stream.StreamSupport;

/**
 * A peer that schedules messages whose payloads have another size.
 *
 * @param peer the peer that schedules the messages
 * @param size the size of each payload, bytes
 */
record SizedPeer(Peer peer, int size) implements Peer {

	@Override
	public void schedule(Message message) {
		this.peer.schedule(message.withSize(this.size));
	}

	@Override
	public void scheduleEach(Iterable<Message> messages) {
		this.peer.scheduleEach(() -> StreamSupport.stream(messages.spliterator(), false)
			.map((message) -> message.withSize(this.size))
			.iterator());
	}

	@Override
	public void scheduleAll(List<Message> messages) {
		this.peer.scheduleAll(messages.stream().map((message) -> message.withSize(this.size)).toList());
	}

	@Override
	public long waiting() {
		return this.peer.waiting();
	}

	@Override
	public void close() {
		this.peer.close();
	}

}
