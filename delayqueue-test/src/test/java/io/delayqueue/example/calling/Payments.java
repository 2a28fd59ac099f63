package io.delayqueue.example.calling;

import java.time.Duration;

import io.delayqueue.DeferException;
import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.HoldException;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;

import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

import static io.delayqueue.example.calling.PartnerClient.OPEN;

@Component
class Payments {

	private final RestClient partner;

	private final CircuitBreaker breaker;

	Payments(RestClient partner, CircuitBreaker breaker) {
		this.partner = partner;
		this.breaker = breaker;
	}

	@DelayedListener(queue = "payments", timeout = "15s")
	void pay(DelayedMessage<Payment> message) {
		try {
			this.breaker.executeRunnable(() -> this.partner.put()
				.uri("/payments/{id}", message.id())
				.body(message.payload())
				.retrieve()
				.toBodilessEntity());
		}
		catch (CallNotPermittedException ex) {
			throw (this.breaker.getState() == State.OPEN) ? HoldException.queue(OPEN, "The circuit breaker is open")
					: new DeferException(Duration.ofSeconds(1));
		}
	}

	record Payment(String account, long cents) {
	}

}
