package io.delayqueue.host.jpa;

import java.util.concurrent.Callable;

import io.delayqueue.host.HostComparison;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;

class JpaHostIntegrationTests {

	@Test
	void repositoriesWorkAsBefore() throws ReflectiveOperationException {
		HostComparison.assertUnchanged(Shop.class, "spring.main.web-application-type=none", "host.without.jpa=");
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

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableJpaRepositories(considerNestedRepositories = true)
	static class Shop {

		@Bean
		Callable<String> work(Articles articles) {
			return () -> {
				Article article = new Article();
				article.name = "tea";
				articles.save(article);
				return articles.countByName("tea") + " of " + articles.count();
			};
		}

	}

}
