package io.delayqueue.example.start;

import io.delayqueue.DelayedListener;

import org.springframework.stereotype.Component;

@Component
class WelcomeListener {

	private final Mails mails;

	WelcomeListener(Mails mails) {
		this.mails = mails;
	}

	@DelayedListener(queue = "welcome")
	void mail(Welcome welcome) {
		this.mails.send(welcome.address(), "How do you like it so far?");
	}

}
