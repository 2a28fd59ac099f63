package io.delayqueue.example.holds;

import java.time.Duration;
import java.util.Map;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;
import io.delayqueue.HoldException;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

@Component
class Webhooks {

	private final Partner partner;

	Webhooks(Partner partner) {
		this.partner = partner;
	}

	@DelayedListener(queue = "webhooks")
	void call(DelayedMessage<String> message) {
		Partner.Answer answer = this.partner.call(message.payload());
		if (answer.status() == 429) {
			throw HoldException.queueRetryAfter(answer.header("Retry-After"), Duration.ofMinutes(1),
					"429 Too Many Requests");
		}
	}

	interface Partner {

		Answer call(String text);

		record Answer(int status, Map<String, String> headers) {

			@Nullable String header(String name) {
				return this.headers.get(name);
			}

		}

	}

}
