package io.delayqueue.host.web;

import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

import io.delayqueue.host.HostComparison;
import jakarta.servlet.http.HttpSession;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

class WebHostIntegrationTests {

	@Test
	void usersAndTheirSessionsStayAsBefore() throws ReflectiveOperationException {
		HostComparison.assertUnchanged(Shop.class, "host.without.session=", "server.port=0",
				"spring.security.user.name=ann", "spring.security.user.password=secret");
	}

	/** Keeps the number of visits of a user in the session, which is in the database. */
	@RestController
	static class Visits {

		@GetMapping("/visits")
		String visit(HttpSession session) {
			int visits = Optional.ofNullable((Integer) session.getAttribute("visits")).orElse(0) + 1;
			session.setAttribute("visits", visits);
			return visits + ", " + session.getMaxInactiveInterval() + " s";
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Visits.class)
	static class Shop {

		@Bean
		SecurityFilterChain security(HttpSecurity http) {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

		@Bean
		Callable<String> work(Environment environment, JdbcTemplate database) {
			return () -> {
				HttpRequest.Builder request = HttpRequest.newBuilder(
						URI.create("http://localhost:" + environment.getProperty("local.server.port") + "/visits"));
				List<String> answers = new ArrayList<>();
				HttpClient client = HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
				answers.add(get(client, request.build()));
				request.header("Authorization",
						"Basic " + Base64.getEncoder().encodeToString("ann:secret".getBytes(StandardCharsets.UTF_8)));
				answers.add(get(client, request.build()));
				answers.add(get(client, request.build()));
				return answers + " "
						+ database.queryForList("SELECT PRINCIPAL_NAME, MAX_INACTIVE_INTERVAL FROM SPRING_SESSION");
			};
		}

		private static String get(HttpClient client, HttpRequest request) throws Exception {
			HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
			return response.statusCode() + " " + response.body().replaceAll("(?s)\\{.*", "");
		}

	}

}
