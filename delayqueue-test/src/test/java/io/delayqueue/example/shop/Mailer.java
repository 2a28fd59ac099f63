package io.delayqueue.example.shop;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.springframework.stereotype.Component;

@Component
public class Mailer {

	private final List<String> sent = new CopyOnWriteArrayList<>();

	public void send(String mail) {
		this.sent.add(mail);
	}

	public List<String> sent() {
		return this.sent;
	}

}
