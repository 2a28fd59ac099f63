package io.delayqueue.actuate;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Provides the CSRF token of Spring Security for the current request. Safe for use by
 * several threads.
 */
public final class ServletCsrfToken implements AopInfrastructureBean {

	/**
	 * The request header that carries the token.
	 *
	 * @param header the name of the header
	 * @param value the value of the header
	 */
	record Sent(String header, String value) {
	}

	/**
	 * Returns the CSRF token of the request that the current thread serves, {@code null}
	 * if Spring Security has added no token.
	 */
	@Nullable Sent current() {
		RequestAttributes request = RequestContextHolder.getRequestAttributes();
		return (request != null && request.getAttribute(CsrfToken.class.getName(),
				RequestAttributes.SCOPE_REQUEST) instanceof CsrfToken token)
						? new Sent(token.getHeaderName(), token.getToken()) : null;
	}

}
