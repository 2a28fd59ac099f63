package io.delayqueue.sample.orders;

import io.delayqueue.sample.orders.Order.ClosedBy;
import io.delayqueue.sample.orders.Order.Status;
import io.delayqueue.sample.web.Fields;
import io.delayqueue.sample.web.Locations;
import org.jspecify.annotations.Nullable;

import org.springframework.http.ResponseEntity;
import org.springframework.util.StringUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/orders")
final class OrderController {

	private final Orders orders;

	OrderController(Orders orders) {
		this.orders = orders;
	}

	@PostMapping
	ResponseEntity<Order> place(@RequestBody NewOrder request) {
		Order order = this.orders.place(Fields.name("id", request.id()), Fields.name("userId", request.userId()),
				request.checkedPayWithin());
		return ResponseEntity.created(Locations.of(order.id())).body(order);
	}

	@PostMapping("/{id}/pay")
	Order pay(@PathVariable String id) {
		Order order = close(id, Status.PAID, ClosedBy.PAYMENT);
		if (order.status() != Status.PAID) {
			throw OrderProblems.cancelled(id);
		}
		return order;
	}

	@PostMapping("/{id}/cancel")
	Order cancel(@PathVariable String id) {
		Order order = close(id, Status.CANCELLED, ClosedBy.USER);
		if (order.status() != Status.CANCELLED) {
			throw OrderProblems.paid(id);
		}
		return order;
	}

	@GetMapping("/{id}")
	Order find(@PathVariable String id) {
		return known(id, this.orders.find(Fields.name("id", id)));
	}

	@GetMapping
	OrderPage search(@RequestParam(required = false) @Nullable String userId,
			@RequestParam(required = false) @Nullable Status status, @RequestParam(defaultValue = "100") int limit) {
		return this.orders.search(StringUtils.hasLength(userId) ? Fields.name("userId", userId) : null, status,
				Fields.limit("limit", limit));
	}

	private Order close(String id, Status status, ClosedBy closedBy) {
		return known(id, this.orders.close(Fields.name("id", id), status, closedBy).order());
	}

	private static Order known(String id, @Nullable Order order) {
		if (order == null) {
			throw OrderProblems.unknown(id);
		}
		return order;
	}

}
