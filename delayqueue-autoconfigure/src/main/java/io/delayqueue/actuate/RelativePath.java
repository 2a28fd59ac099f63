package io.delayqueue.actuate;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * The way from one endpoint to another, whatever stands before both: the base path, the
 * path of the application, what a proxy puts in front.
 */
final class RelativePath {

	private RelativePath() {
	}

	/**
	 * What a page refers to.
	 * @param page the path of the page below the base path, of one segment or more
	 * @param target the path of the target below the base path
	 * @return a relative reference, which cannot be taken for one with a scheme or a host
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
