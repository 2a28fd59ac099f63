package io.delayqueue.actuate;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Relative reference from one endpoint to another. It does not depend on the prefix of
 * both: the base path, the context path of the application, a prefix of a proxy.
 */
final class RelativePath {

	private RelativePath() {
	}

	/**
	 * Returns the reference from a page to a target.
	 * @param page the path of the page below the base path, of one segment or more
	 * @param target the path of the target below the base path
	 * @return a relative reference that a browser cannot mistake for one with a scheme or
	 * a host
	 */
	static String of(String page, String target) {
		return "./" + "../".repeat(segments(page).length - 1)
				+ Arrays.stream(segments(target)).map(RelativePath::encoded).collect(Collectors.joining("/"));
	}

	private static String[] segments(String path) {
		return Arrays.stream(path.split("/")).filter((segment) -> !segment.isEmpty()).toArray(String[]::new);
	}

	private static String encoded(String segment) {
		return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
	}

}
