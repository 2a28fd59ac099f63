package io.delayqueue.host.shop;

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
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import jakarta.servlet.http.HttpSession;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.infrastructure.repeat.RepeatStatus;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

class ShopHostIntegrationTests {

	@Test
	void usersSessionsRepositoriesAndJobsStayAsBefore() throws ReflectiveOperationException {
		HostComparison.assertUnchanged(Shop.class, "host.without.jpa=", "host.without.batch=", "host.without.session=",
				"server.port=0", "spring.security.user.name=ann", "spring.security.user.password=secret");
	}

	@Entity
	static class Article {

		@Id
		@GeneratedValue
		@Nullable Long id;

		String name = "";

	}

	interface Articles extends JpaRepository<Article, Long> {

		long countByName(String name);

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

	@Component
	static class Work implements Callable<String> {

		private final Articles articles;

		private final Environment environment;

		private final JdbcTemplate database;

		Work(Articles articles, Environment environment, JdbcTemplate database) {
			this.articles = articles;
			this.environment = environment;
			this.database = database;
		}

		@Override
		public String call() throws Exception {
			return sell() + "\n" + visit() + "\n" + invoices();
		}

		private String sell() {
			Article article = new Article();
			article.name = "tea";
			this.articles.save(article);
			return this.articles.countByName("tea") + " of " + this.articles.count();
		}

		private String visit() throws Exception {
			HttpRequest.Builder request = HttpRequest.newBuilder(
					URI.create("http://localhost:" + this.environment.getProperty("local.server.port") + "/visits"));
			List<String> answers = new ArrayList<>();
			HttpClient client = HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
			answers.add(get(client, request.build()));
			request.header("Authorization",
					"Basic " + Base64.getEncoder().encodeToString("ann:secret".getBytes(StandardCharsets.UTF_8)));
			answers.add(get(client, request.build()));
			answers.add(get(client, request.build()));
			return answers + " "
					+ this.database.queryForList("SELECT PRINCIPAL_NAME, MAX_INACTIVE_INTERVAL FROM SPRING_SESSION");
		}

		private static String get(HttpClient client, HttpRequest request) throws Exception {
			HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
			return response.statusCode() + " " + response.body().replaceAll("(?s)\\{.*", "");
		}

		private String invoices() {
			return "" + this.database.queryForList("SELECT * FROM invoice")
					+ this.database.queryForList("SELECT JOB_EXECUTION_ID, STATUS, EXIT_CODE FROM BATCH_JOB_EXECUTION")
					+ this.database.queryForList("SELECT STEP_NAME, STATUS, COMMIT_COUNT FROM BATCH_STEP_EXECUTION");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableJpaRepositories(considerNestedRepositories = true)
	@Import({ Visits.class, Work.class })
	static class Shop {

		@Bean
		SecurityFilterChain security(HttpSecurity http) {
			return http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.httpBasic(Customizer.withDefaults())
				.build();
		}

		@Bean
		Job invoices(JobRepository repository, PlatformTransactionManager transactions, JdbcTemplate database) {
			return new JobBuilder("invoices", repository)
				.start(new StepBuilder("write", repository).tasklet((contribution, chunk) -> {
					database.execute("CREATE TABLE invoice AS SELECT 7 AS amount");
					return RepeatStatus.FINISHED;
				}, transactions).build())
				.build();
		}

	}

}
