package io.delayqueue.sample.orders;

import io.delayqueue.sample.web.Problems;

import org.springframework.web.ErrorResponseException;

/** Creates the error responses to requests that the stored orders do not permit. */
final class OrderProblems {

	private OrderProblems() {
	}

	static ErrorResponseException duplicate(String id) {
		return Problems.conflict("duplicate-order", "Order '" + id + "' exists already");
	}

	static ErrorResponseException quotaExceeded(String userId, int quota) {
		return Problems.conflict("quota-exceeded",
				"User '" + userId + "' has " + quota + " unpaid orders already, which is the maximum");
	}

	static ErrorResponseException unknown(String id) {
		return Problems.notFound("unknown-order", "There is no order '" + id + "'");
	}

	static ErrorResponseException cancelled(String id) {
		return Problems.conflict("order-cancelled", "Order '" + id + "' was cancelled and cannot be paid");
	}

	static ErrorResponseException paid(String id) {
		return Problems.conflict("order-paid", "Order '" + id + "' was paid and cannot be cancelled");
	}

}
