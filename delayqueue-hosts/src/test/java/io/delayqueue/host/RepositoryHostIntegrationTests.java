package io.delayqueue.host;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.annotation.Id;
import org.springframework.data.jdbc.repository.config.EnableJdbcRepositories;
import org.springframework.data.relational.core.mapping.Table;
import org.springframework.data.repository.ListCrudRepository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * An application with repositories of Spring Data JDBC.
 */
@ExtendWith(OutputCaptureExtension.class)
class RepositoryHostIntegrationTests {

	@Test
	void aRepositoryWhoseEntityNamesItsStoreWorks() {
		try (ConfigurableApplicationContext context = Host.start(Shop.class)) {
			Articles articles = context.getBean(Articles.class);
			articles.save(new Article(null, "tea"));
			assertThat(articles.findAll()).extracting(Article::name).containsExactly("tea");
		}
	}

	@Test
	void theReportAboutAMissingRepositoryNamesTheAnnotation(CapturedOutput output) {
		assertThatException().isThrownBy(() -> Host.start(StrictShop.class));
		assertThat(output).contains("needs a Customers, but Spring Data has created none", "Spring Data Redis",
				"Annotate Customer with the annotation of its store");
	}

	@Table
	record Article(@Id @Nullable Long id, String name) {
	}

	interface Articles extends ListCrudRepository<Article, Long> {

	}

	record Customer(@Id Long id, String name) {
	}

	interface Customers extends ListCrudRepository<Customer, Long> {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableJdbcRepositories(considerNestedRepositories = true)
	static class Shop {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableJdbcRepositories(considerNestedRepositories = true)
	static class StrictShop {

		@Bean
		String names(Customers customers) {
			return customers.toString();
		}

	}

}
