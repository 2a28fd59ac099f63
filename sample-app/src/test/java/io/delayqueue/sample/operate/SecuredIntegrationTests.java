package io.delayqueue.sample.operate;

import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.delayqueue.test.redis.TestRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The sample with Spring Security on its class path and without further configuration:
 * every call needs a login, and each write operation also needs the CSRF token of the
 * page.
 */
@Tag("secured")
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { "management.endpoint.delayqueue.access=unrestricted", "spring.security.user.name=ann",
				"spring.security.user.password=secret" })
@Import(TestRedis.class)
class SecuredIntegrationTests {

	private static final String QUEUES = "/actuator/delayqueue";

	private static final String PAGE = "/actuator/delayqueuedashboard";

	private static final Pattern HEADER = Pattern.compile("data-csrf-header=\"([^\"]+)\"");

	private static final Pattern TOKEN = Pattern.compile("data-csrf-token=\"([^\"]+)\"");

	private final HttpClient http = HttpClient.newBuilder().cookieHandler(new CookieManager()).build();

	@LocalServerPort
	private int port;

	@Test
	void withoutALoginNothingCanBeReadOrChanged() throws Exception {
		for (String path : new String[] { QUEUES, QUEUES + "/order-timeout", PAGE }) {
			assertThat(send(to(path).GET()).statusCode()).as(path).isEqualTo(401);
		}
		assertThat(send(pause()).statusCode()).isIn(401, 403);
	}

	@Test
	void aLoggedInUserOperatesQueuesWithTheTokenOfThePage() throws Exception {
		assertThat(send(loggedIn(to(QUEUES).GET())).statusCode()).isEqualTo(200);
		assertThat(send(loggedIn(pause())).statusCode()).as("without the token").isIn(401, 403);

		String page = send(loggedIn(to(PAGE).GET())).body();
		HttpResponse<String> paused = send(loggedIn(pause()).header(found(HEADER, page), found(TOKEN, page)));

		assertThat(paused.statusCode()).as(paused.body()).isEqualTo(200);
	}

	private HttpRequest.Builder to(String path) {
		return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + this.port + path));
	}

	private HttpRequest.Builder pause() {
		return to(QUEUES + "/order-timeout/pause").header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString("{}"));
	}

	private static HttpRequest.Builder loggedIn(HttpRequest.Builder request) {
		String credentials = Base64.getEncoder().encodeToString("ann:secret".getBytes(StandardCharsets.UTF_8));
		return request.header("Authorization", "Basic " + credentials);
	}

	private HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
		return this.http.send(request.build(), BodyHandlers.ofString());
	}

	private static String found(Pattern pattern, String page) {
		Matcher found = pattern.matcher(page);
		assertThat(found.find()).isTrue();
		return found.group(1);
	}

}
