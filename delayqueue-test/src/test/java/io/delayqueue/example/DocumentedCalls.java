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
 * The calls of {@code curl} that a guide shows, sent as they stand there to another port.
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
	 * The calls of a guide.
	 * @param guide its name
	 * @param port where to send them
	 * @return the calls
	 * @throws IOException if there is no such guide
	 */
	public static DocumentedCalls of(String guide, int port) throws IOException {
		String text = Files.readString(Path.of("../docs/" + guide + ".md")).replace("\\\n", "");
		return new DocumentedCalls(CALL.matcher(text).results().map((call) -> Call.of(call.group(), port)).toList(),
				JSON.matcher(text).results().map((json) -> json.group(1)).toList());
	}

	/**
	 * How many there are.
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
	 * What the guide says is answered.
	 * @param number from 0
	 * @return JSON
	 */
	public String json(int number) {
		return this.answers.get(number);
	}

	/**
	 * A call.
	 *
	 * @param request what it sends
	 */
	public record Call(HttpRequest request) {

		static Call of(String line, int port) {
			Matcher address = ADDRESS.matcher(line);
			if (!address.find()) {
				throw new IllegalArgumentException("There is no address in: " + line);
			}
			HttpRequest.Builder request = HttpRequest
				.newBuilder(URI.create("http://localhost:" + port + address.group(1)));
			HEADER.matcher(line).results().forEach((header) -> request.header(header.group(1), header.group(2)));
			BODY.matcher(line).results().forEach((body) -> request.POST(BodyPublishers.ofString(body.group(1))));
			return new Call(request.build());
		}

		/**
		 * Sends it.
		 * @return the answer
		 * @throws IOException if there is none
		 * @throws InterruptedException if the test is ended
		 */
		public Answer send() throws IOException, InterruptedException {
			HttpResponse<String> response = HttpClient.newHttpClient().send(this.request, BodyHandlers.ofString());
			return new Answer(response.statusCode(), response.body());
		}

	}

	/**
	 * What came back.
	 *
	 * @param status the HTTP status
	 * @param body the body
	 */
	public record Answer(int status, String body) {
	}

}
