package io.delayqueue.example.start;

interface Mails {

	void send(String address, String text);

}
