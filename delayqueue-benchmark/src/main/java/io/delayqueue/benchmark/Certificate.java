package io.delayqueue.benchmark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import io.delayqueue.benchmark.Target.TlsPort;
import io.delayqueue.test.redis.RedisServer;
import io.delayqueue.test.redis.RedisServerBuilder;

/**
 * A self-signed certificate for 127.0.0.1, which the keytool of this JDK creates.
 *
 * @param file the certificate, PEM
 * @param key the private key, PEM
 * @param trust makes a client trust the certificate
 * @param context an SSL context that trusts the certificate
 */
record Certificate(Path file, Path key, TrustManagerFactory trust, SSLContext context) {

	private static final String ALIAS = "redis";

	private static final String PASSWORD = "benchmark";

	/** Starts a Redis server that has a port for TLS and uses this certificate. */
	Target start(RedisServerBuilder builder) {
		int port = freePort();
		RedisServer server = builder.setting("tls-port", port)
			.setting("tls-cert-file", this.file)
			.setting("tls-key-file", this.key)
			.setting("tls-ca-cert-file", this.file)
			.setting("tls-auth-clients", "no")
			.start();
		return new Target(server, new TlsPort(port, this), Message.SIZE, Target.of(server).properties(), 0);
	}

	private static int freePort() {
		try (ServerSocket socket = new ServerSocket(0)) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Creates a certificate. Its files are deleted when this JVM ends. */
	static Certificate create() throws InterruptedException {
		try {
			Path directory = Files.createTempDirectory("delayqueue-benchmark-");
			Path store = directory.resolve("redis.p12");
			keytool("-genkeypair", "-alias", ALIAS, "-keyalg", "EC", "-groupname", "secp256r1", "-validity", "2",
					"-dname", "CN=127.0.0.1", "-ext", "san=ip:127.0.0.1", "-keystore", store.toString(), "-storetype",
					"PKCS12", "-storepass", PASSWORD);
			KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
			java.security.cert.Certificate certificate = keys.getCertificate(ALIAS);
			Path file = pem(directory.resolve("redis.crt"), "CERTIFICATE", certificate.getEncoded());
			Path key = pem(directory.resolve("redis.key"), "PRIVATE KEY",
					keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded());
			KeyStore trusted = KeyStore.getInstance("PKCS12");
			trusted.load(null, null);
			trusted.setCertificateEntry(ALIAS, certificate);
			TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
			trust.init(trusted);
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(null, trust.getTrustManagers(), null);
			for (Path each : new Path[] { directory, store, file, key }) {
				each.toFile().deleteOnExit();
			}
			return new Certificate(file, key, trust, context);
		}
		catch (IOException | GeneralSecurityException ex) {
			throw new BenchmarkException("The certificate cannot be made: " + ex);
		}
	}

	private static void keytool(String... arguments) throws IOException, InterruptedException {
		String[] command = new String[arguments.length + 1];
		command[0] = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
		System.arraycopy(arguments, 0, command, 1, arguments.length);
		Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
		String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		if (keytool.waitFor() != 0) {
			throw new BenchmarkException("keytool failed: " + output);
		}
	}

	private static Path pem(Path file, String type, byte[] content) throws IOException {
		return Files.writeString(file, "-----BEGIN %s-----%n%s%n-----END %s-----%n".formatted(type,
				Base64.getMimeEncoder().encodeToString(content), type));
	}

}
