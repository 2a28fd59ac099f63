package io.delayqueue.store;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The finding for a server whose certificate the application does not trust.
 */
@SuppressWarnings("NullAway.Init")
class UntrustedCertificateTests {

	private static final char[] PASSWORD = "secret".toCharArray();

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private SSLServerSocket server;

	@BeforeEach
	void listen(@TempDir Path directory) throws Exception {
		Path store = directory.resolve("server.p12");
		Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
				"-genkeypair", "-alias", "server", "-keyalg", "EC", "-dname", "CN=127.0.0.1", "-ext",
				"san=ip:127.0.0.1", "-keystore", store.toString(), "-storetype", "PKCS12", "-storepass",
				new String(PASSWORD))
			.inheritIO()
			.start();
		assertThat(keytool.waitFor()).isZero();
		KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		keys.init(KeyStore.getInstance(store.toFile(), PASSWORD), PASSWORD);
		SSLContext context = SSLContext.getInstance("TLS");
		context.init(keys.getKeyManagers(), null, null);
		this.server = (SSLServerSocket) context.getServerSocketFactory()
			.createServerSocket(0, 50, InetAddress.getLoopbackAddress());
		new Thread(this::shakeHands, "tls-server").start();
	}

	private void shakeHands() {
		while (!this.server.isClosed()) {
			try (SSLSocket socket = (SSLSocket) this.server.accept()) {
				socket.startHandshake();
			}
			catch (IOException refused) {
				// The client refuses the certificate
			}
		}
	}

	@AfterEach
	void close() throws IOException {
		this.server.close();
	}

	@ParameterizedTest
	@EnumSource
	void aCertificateThatIsNotTrustedIsAFaultAndItsFixNamesTheProperty(Driver driver) throws Exception {
		try (Connected connected = Connected.of(connect(driver))) {
			assertThat(CheckedServer.findings(connected, List.of(CheckedServer.ORDERS), List.of())).singleElement()
				.satisfies((finding) -> {
					assertThat(finding.isFault()).isTrue();
					assertThat(finding.problem()).contains("does not trust the certificate of the server", "PKIX");
					assertThat(finding.fix()).contains("spring.data.redis.ssl.bundle", "truststore");
				});
		}
	}

	private RedisConnectionFactory connect(Driver driver) throws Exception {
		RedisStandaloneConfiguration address = new RedisStandaloneConfiguration("127.0.0.1",
				this.server.getLocalPort());
		return switch (driver) {
			case JEDIS -> {
				JedisConnectionFactory factory = new JedisConnectionFactory(address,
						JedisClientConfiguration.builder().connectTimeout(TIMEOUT).useSsl().build());
				factory.afterPropertiesSet();
				factory.start();
				yield factory;
			}
			case LETTUCE -> {
				LettuceConnectionFactory factory = new LettuceConnectionFactory(address,
						LettuceClientConfiguration.builder()
							.commandTimeout(TIMEOUT)
							.shutdownTimeout(Duration.ZERO)
							.useSsl()
							.build());
				factory.afterPropertiesSet();
				factory.start();
				yield factory;
			}
		};
	}

}
