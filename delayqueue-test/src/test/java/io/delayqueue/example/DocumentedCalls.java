package io.delayqueue.example;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The {@code curl} calls of a guide, sent unchanged to another port.
 */
public final class DocumentedCalls {

	private static final Pattern CALL = Pattern.compile("^curl .*$", Pattern.MULTILINE);

	private static final Pattern JSON = Pattern.compile("```json\\n(.*?)```", Pattern.DOTALL);

	private static final Pattern HEADER = Pattern.compile("-H '([^:']+): ([^']+)'");

	private static final Pattern BODY = Pattern.compile("-d '([^']+)'");

	private static final Pattern ADDRESS = Pattern.compile("localhost:8080([^ ']*)");

	private final List<Call> calls;

	private final List<String> answers;

	private DocumentedCalls(List<Call> calls, List<String> answers) {
		this.calls = calls;
		this.answers = answers;
	}

	/**
	 * Reads the calls of a guide.
	 * @param guide its name
	 * @param port the port to which they are sent
	 * @return the calls
	 * @throws IOException if the guide does not exist
	 */
	public static DocumentedCalls of(String guide, int port) throws IOException {
		String text = Files.readString(Path.of("../docs/" + guide + ".md")).replace("\\\n", "");
		return new DocumentedCalls(CALL.matcher(text).results().map((call) -> Call.of(call.group(), port)).toList(),
				JSON.matcher(text).results().map((json) -> json.group(1)).toList());
	}

	/**
	 * The number of calls.
	 * @return the number of calls
	 */
	public int size() {
		return this.calls.size();
	}

	/**
	 * A call.
	 * @param number from 0
	 * @return the call
	 */
	public Call get(int number) {
		return this.calls.get(number);
	}

	/**
	 * The response that the guide shows.
	 * @param number from 0
	 * @return JSON
	 */
	public String json(int number) {
		return this.answers.get(number);
	}

	/**
	 * A call.
	 *
	 * @param request the request
	 */
	public record Call(HttpRequest request) {

		static Call of(String line, int port) {
			Matcher address = ADDRESS.matcher(line);
			if (!address.find()) {
				throw new IllegalArgumentException("Missing address in: " + line);
			}
			HttpRequest.Builder request = HttpRequest
				.newBuilder(URI.create("http://localhost:" + port + address.group(1)));
			HEADER.matcher(line).results().forEach((header) -> request.header(header.group(1), header.group(2)));
			BODY.matcher(line).results().forEach((body) -> request.POST(BodyPublishers.ofString(body.group(1))));
			return new Call(request.build());
		}

		/**
		 * Sends the request.
		 * @return the response
		 * @throws IOException if there is no response
		 * @throws InterruptedException if the test is interrupted
		 */
		public Answer send() throws IOException, InterruptedException {
			HttpResponse<String> response = HttpClient.newHttpClient().send(this.request, BodyHandlers.ofString());
			return new Answer(response.statusCode(), response.body());
		}

	}

	/**
	 * The response.
	 *
	 * @param status the HTTP status
	 * @param body the body
	 */
	public record Answer(int status, String body) {
	}

}
