package io.delayqueue.sample.orders;

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
		return this.orders.pay(Fields.name("id", id));
	}

	@PostMapping("/{id}/cancel")
	Order cancel(@PathVariable String id) {
		return this.orders.cancel(Fields.name("id", id));
	}

	@GetMapping("/{id}")
	Order find(@PathVariable String id) {
		return this.orders.find(Fields.name("id", id));
	}

	@GetMapping
	OrderPage search(@RequestParam(required = false) @Nullable String userId,
			@RequestParam(required = false) Order.@Nullable Status status,
			@RequestParam(defaultValue = "100") int limit) {
		return this.orders.search(StringUtils.hasLength(userId) ? Fields.name("userId", userId) : null, status,
				Fields.limit("limit", limit));
	}

}
