package io.delayqueue.example.calling;

import java.util.List;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;

import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

@Component
class Invoices {

	private final RestClient partner;

	Invoices(RestClient partner) {
		this.partner = partner;
	}

	@DelayedListener(queue = "invoices", timeout = "15s", interruptible = true)
	void send(DelayedMessage<Invoice> message) {
		this.partner.post()
			.uri("/invoices")
			.header("Idempotency-Key", message.id())
			.body(message.payload())
			.retrieve()
			.toBodilessEntity();
	}

	@DelayedListener(queue = "statements", timeout = "5m")
	void sendPages(DelayedMessage<Statement> message) {
		for (String page : message.payload().pages()) {
			if (message.isCancelled()) {
				return;
			}
			this.partner.put().uri("/statements/{id}/{page}", message.id(), page).retrieve().toBodilessEntity();
		}
	}

	record Invoice(String customer, long cents) {
	}

	record Statement(List<String> pages) {
	}

}
