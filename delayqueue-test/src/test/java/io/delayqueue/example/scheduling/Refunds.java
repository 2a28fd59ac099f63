package io.delayqueue.example.scheduling;

import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.delayqueue.DelayQueueOperations;
import io.delayqueue.ScheduleRequest;
import io.delayqueue.ScheduleResult;

import org.springframework.core.ParameterizedTypeReference;
import org.springframework.stereotype.Component;

import static java.time.Duration.ofMinutes;

@Component
class Refunds {

	private final DelayQueueOperations delayQueue;

	Refunds(DelayQueueOperations delayQueue) {
		this.delayQueue = delayQueue;
	}

	ScheduleResult refund(Payment payment) {
		return this.delayQueue.schedule("refund", payment, ofMinutes(5));
	}

	ScheduleResult draw(List<Shape> shapes) {
		return this.delayQueue
			.schedule(ScheduleRequest.to("draw").payload(shapes, new ParameterizedTypeReference<List<Shape>>() {
			}).delay(ofMinutes(5)));
	}

	ScheduleResult drawUntyped(Map<String, Shape> shapes) {
		return this.delayQueue.schedule("draw", shapes, ofMinutes(5));
	}

	sealed interface Payment permits Card, Transfer {

	}

	record Card(String number) implements Payment {

	}

	record Transfer(String iban) implements Payment {

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME)
	@JsonSubTypes({ @JsonSubTypes.Type(Circle.class), @JsonSubTypes.Type(Square.class) })
	interface Shape {

	}

	record Circle(int radius) implements Shape {

	}

	record Square(int side) implements Shape {

	}

}
