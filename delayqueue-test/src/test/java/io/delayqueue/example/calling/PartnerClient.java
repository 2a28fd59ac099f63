package io.delayqueue.example.calling;

import java.io.IOException;
import java.net.http.HttpClient;
import java.time.Duration;

import io.delayqueue.HoldException;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpRequest;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

@Configuration(proxyBeanMethods = false)
class PartnerClient {

	@Bean
	RestClient partner(@Value("${partner.url}") String url) {
		JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory(
				HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build());
		requests.setReadTimeout(Duration.ofSeconds(10));
		return RestClient.builder()
			.baseUrl(url)
			.requestFactory(requests)
			.defaultStatusHandler(PartnerClient::asksToWait, PartnerClient::hold)
			.build();
	}

	private static boolean asksToWait(HttpStatusCode status) {
		return status.value() == 429 || status.value() == 503;
	}

	private static void hold(HttpRequest request, ClientHttpResponse answer) throws IOException {
		throw HoldException.queueRetryAfter(answer.getHeaders().getFirst("Retry-After"), Duration.ofMinutes(1),
				"The partner answered " + answer.getStatusCode());
	}

}
