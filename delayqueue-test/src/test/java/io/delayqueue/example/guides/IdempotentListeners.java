package io.delayqueue.example.guides;

import io.delayqueue.DelayedListener;
import io.delayqueue.DelayedMessage;

import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

@Component
class IdempotentListeners {

	private final Orders orders;

	private final Bank bank;

	private final Done done;

	private final Accounts accounts;

	IdempotentListeners(Orders orders, Bank bank, Done done, Accounts accounts) {
		this.orders = orders;
		this.bank = bank;
		this.done = done;
		this.accounts = accounts;
	}

	@DelayedListener(queue = "order-timeout")
	void cancelUnpaid(String orderId) {
		// update ... set status = 'CANCELLED' where id = ? and status = 'UNPAID'
		this.orders.cancelIfUnpaid(orderId);
	}

	@DelayedListener(queue = "payout")
	void pay(DelayedMessage<Payout> message) {
		this.bank.transfer(message.payload(), message.id());
	}

	@Transactional
	@DelayedListener(queue = "bonus")
	void grant(DelayedMessage<Bonus> message) {
		if (this.done.add(message.id())) { // insert ... on conflict do nothing
			this.accounts.credit(message.payload());
		}
	}

	record Payout(String account, long cents) {
	}

	record Bonus(String account, long points) {
	}

	interface Orders {

		void cancelIfUnpaid(String orderId);

	}

	interface Bank {

		void transfer(Payout payout, String idempotencyKey);

	}

	interface Done {

		boolean add(String id);

	}

	interface Accounts {

		void credit(Bonus bonus);

	}

}
