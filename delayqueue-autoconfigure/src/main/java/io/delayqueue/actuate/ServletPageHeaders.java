package io.delayqueue.actuate;

import java.util.Map;

import jakarta.servlet.http.HttpServletResponse;

import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Sets headers of the response to a servlet request, which the answer of an endpoint has
 * no place for. Safe for use by several threads.
 */
public final class ServletPageHeaders {

	/** Sets them if this thread serves a request. */
	void set(Map<String, String> headers) {
		if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes) {
			HttpServletResponse response = attributes.getResponse();
			if (response != null) {
				headers.forEach(response::setHeader);
			}
		}
	}

}
