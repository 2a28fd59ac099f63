package io.delayqueue.sample.orders;

import java.net.URI;

import io.delayqueue.sample.web.Names;
import io.delayqueue.sample.web.Problems;
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
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

@RestController
@RequestMapping("/orders")
final class OrderController {

	private static final int MAX_LIMIT = 1000;

	private final Orders orders;

	OrderController(Orders orders) {
		this.orders = orders;
	}

	@PostMapping
	ResponseEntity<Order> place(@RequestBody NewOrder request) {
		Order order = this.orders.place(Names.require("id", request.id()), Names.require("userId", request.userId()),
				request.checkedPayWithin());
		URI location = ServletUriComponentsBuilder.fromCurrentRequest()
			.pathSegment(order.id())
			.build()
			.encode()
			.toUri();
		return ResponseEntity.created(location).body(order);
	}

	@PostMapping("/{id}/pay")
	Order pay(@PathVariable String id) {
		return this.orders.pay(Names.require("id", id));
	}

	@PostMapping("/{id}/cancel")
	Order cancel(@PathVariable String id) {
		return this.orders.cancel(Names.require("id", id));
	}

	@GetMapping("/{id}")
	Order find(@PathVariable String id) {
		return this.orders.find(Names.require("id", id));
	}

	@GetMapping
	OrderPage search(@RequestParam(required = false) @Nullable String userId,
			@RequestParam(required = false) Order.@Nullable Status status,
			@RequestParam(defaultValue = "100") int limit) {
		if (limit < 1 || limit > MAX_LIMIT) {
			throw Problems.invalid("limit", limit, "from 1 to " + MAX_LIMIT);
		}
		return this.orders.search(StringUtils.hasLength(userId) ? Names.require("userId", userId) : null, status,
				limit);
	}

}
