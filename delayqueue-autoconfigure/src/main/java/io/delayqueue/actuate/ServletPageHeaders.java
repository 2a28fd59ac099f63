package io.delayqueue.actuate;

import java.util.Map;

import jakarta.servlet.http.HttpServletResponse;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Sets response headers in a servlet application, because the result of an endpoint
 * cannot contain headers. Safe for use by several threads.
 */
public final class ServletPageHeaders implements AopInfrastructureBean {

	/** Sets headers of the HTTP response if the current thread serves a request. */
	void set(Map<String, String> headers) {
		if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes) {
			HttpServletResponse response = attributes.getResponse();
			if (response != null) {
				headers.forEach(response::setHeader);
			}
		}
	}

}
