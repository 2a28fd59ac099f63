package io.delayqueue.actuate;

import org.jspecify.annotations.Nullable;

import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * The token by which Spring Security recognises that a request comes from a page of its
 * own application. Safe for use by several threads.
 */
public final class ServletCsrfToken {

	/**
	 * What to send along.
	 *
	 * @param header the name of the header
	 * @param value its value
	 */
	record Sent(String header, String value) {
	}

	/**
	 * The token of the request that this thread serves, {@code null} if Spring Security
	 * has put none there.
	 */
	@Nullable Sent current() {
		RequestAttributes request = RequestContextHolder.getRequestAttributes();
		return (request != null && request.getAttribute(CsrfToken.class.getName(),
				RequestAttributes.SCOPE_REQUEST) instanceof CsrfToken token)
						? new Sent(token.getHeaderName(), token.getToken()) : null;
	}

}
