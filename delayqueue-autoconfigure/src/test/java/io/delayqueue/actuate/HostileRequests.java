package io.delayqueue.actuate;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Requests that nobody sends who means well: what has broken other programs, put into
 * each place of a request, and valid cursors broken bit by bit. The same ones for the
 * same seed.
 */
final class HostileRequests {

	static final String MARKUP = "<script>alert(1)</script>";

	private static final List<String> TEXTS = List.of(MARKUP, "\"><img src=x onerror=alert(1)>", "{{7*7}}", "${7*7}",
			"#{T(java.lang.Runtime).getRuntime()}", "${jndi:ldap://localhost/x}", "../../../../etc/passwd",
			"..\\..\\windows\\win.ini", "....//....//", "/etc/passwd\0.png", "file:///etc/passwd", "' OR '1'='1",
			"'; DROP TABLE messages; --", "\" OR 1=1 #", "redis.call('FLUSHALL')", "'); redis.call('FLUSHALL'); --",
			"return redis.call('KEYS', '*')", "[[x]] .. os.execute('id')", "%s%s%s%n", "%d|%x", "\r\nFLUSHALL\r\n",
			"*1\r\n$8\r\nFLUSHALL\r\n", "x\r\nSet-Cookie: a=b", "\n", "\t", "\0", "a\0b", "\u001b[2J", "\u007f",
			"\u0085", "\u2028", "\u202e", "\ufeff", "\ufffd", "\uD83D\uDE00".repeat(300), "é".repeat(1000),
			"a".repeat(201), "a".repeat(6000), "", " ", "*", "?", "{orders:0}", "orders:0", "{", "}", "[", "]", "|",
			"-1", "0", "1e309", "-0", "NaN", "Infinity", "0x7fffffff", "2147483648", "9223372036854775808",
			"-9223372036854775809", "9".repeat(400), "1.5", "1_000", "٣", "１０", "null", "undefined", "true", "[]",
			"{\"a\":1}", "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]>", "-inf",
			"+inf", "(1", "0-0", "$", ">", "+", "-", "18446744073709551615-18446744073709551615", "DEAD,READY", "ßTATE",
			"SCHEDULED\0", "A".repeat(51), "MESSAGES", "messages/../message");

	/** What would be at odds with a proxy or a server, sent as it is. */
	private static final List<String> PATHS = List.of("/actuator/delayqueue/..%2f..%2fenv",
			"/actuator/delayqueue/%2e%2e/env", "/actuator/delayqueue/..;/env",
			"/actuator/delayqueue/orders;x=y/messages", "/actuator/delayqueue//orders",
			"/actuator/delayqueue/orders//messages", "/actuator/delayqueue/orders/",
			"/actuator/delayqueue/orders/messages/", "/actuator/delayqueue/orders/messages/x",
			"/actuator/delayqueue/orders%2fmessages", "/actuator/delayqueue/orders%5cmessages",
			"/actuator/delayqueue/%00", "/actuator/delayqueue/orders%00/messages", "/actuator/delayqueue/%c0%ae%c0%ae",
			"/actuator/delayqueue/%ff%fe", "/actuator/delayqueue/%u0041", "/actuator/delayqueue/%",
			"/actuator/delayqueue/%zz", "/actuator/delayqueue/orders?%", "/actuator/delayqueue?limit=%zz",
			"/actuator/delayqueue?=&&==&", "/actuator/delayqueue/<b>", "/actuator/delayqueue/orders\\messages",
			"/actuator/delayqueue/orders/message?id=%", "/actuator/delayqueue/orders/message?id=%ff%fe",
			"/actuator/delayqueue/orders/message?id=%c0%80", "/actuator/delayqueue/orders/message?id=%ed%a0%80",
			"/actuator/delayqueue/orders/message?id[]=a", "/actuator/delayqueue/orders/message?id=a&id=b",
			"/actuator/delayqueue/orders/message?ID=a", "/actuator/delayqueue/orders/messages?state=DEAD&state=READY",
			"/actuator/delayqueue/orders/messages?state=DEAD&limit=1&limit=2",
			"/actuator/delayqueue/orders/dead-letters?from=a&from=b", "/actuator/delayqueue/orders/messages?security=x",
			"/actuator/delayqueue/orders/messages?queue=other&view=message&state=DEAD&id=a",
			"/actuator/delayqueue/é/messages", "/actuator/delayqueue/orders/messages?state=é",
			"http://localhost/actuator/delayqueue/<b>", "/actuator/delayqueue/orders/messages#<b>");

	private static final List<String> PLACES = List.of("?from=%s", "?limit=%s", "/%s", "/%s/messages?state=DEAD",
			"/orders/%s", "/orders/messages?state=%s", "/orders/messages?state=SCHEDULED&limit=%s",
			"/orders/messages?state=READY&from=%s", "/orders/message?id=%s", "/orders/message?id=a&group=%s",
			"/orders/message?%s=a", "/orders/dead-letters?reason=%s", "/orders/dead-letters?limit=%s",
			"/orders/dead-letters?from=%s");

	private HostileRequests() {
	}

	/** What has broken other programs. */
	static List<String> texts() {
		return TEXTS;
	}

	/** Paths with their queries. */
	static List<String> some(long seed, int count, List<String> cursors) {
		List<String> requests = new ArrayList<>(PATHS);
		Random random = new Random(seed);
		for (int i = 0; i < TEXTS.size(); i++) {
			requests.add(at(PLACES.get(i % PLACES.size()), TEXTS.get(i)));
		}
		for (String cursor : cursors) {
			for (int i = 0; i < 12; i++) {
				requests.add(at(PLACES.get((i % 2 == 0) ? 7 : 13), broken(random, cursor)));
			}
		}
		while (requests.size() < count) {
			String text = (random.nextInt(3) > 0) ? TEXTS.get(random.nextInt(TEXTS.size())) : noise(random);
			requests.add(at(PLACES.get(random.nextInt(PLACES.size())), text));
		}
		return requests;
	}

	private static String at(String place, String text) {
		return "/actuator/delayqueue"
				+ place.replace("%s", URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20"));
	}

	private static String broken(Random random, String cursor) {
		char[] text = cursor.toCharArray();
		text[random.nextInt(text.length)] ^= (char) (1 << random.nextInt(7));
		return new String(text);
	}

	private static String noise(Random random) {
		StringBuilder noise = new StringBuilder();
		for (int length = random.nextInt(250); length >= 0; length--) {
			noise.appendCodePoint((random.nextInt(4) > 0) ? random.nextInt(256) : random.nextInt(0x10ffff));
		}
		return noise.toString();
	}

}
