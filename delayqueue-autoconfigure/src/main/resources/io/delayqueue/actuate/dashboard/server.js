/* Sends requests to the endpoint. Every failure becomes a Problem with advice for the user. */

const config = document.body.dataset;
const framed = window.top !== window.self;
const mayOperate = config.access === 'unrestricted' && !framed;
const TIMEOUT = 30_000;

let skew = 0;

/** The current time by the server's clock, if the browser's clock differs by more than 3 s. */
function now() {
	return Date.now() + skew;
}

class Problem extends Error {

	constructor(status, title, advice, { parameter, similar } = {}) {
		super(title);
		this.status = status;
		this.advice = advice;
		this.parameter = parameter;
		this.similar = similar || [];
	}

}

function exposeAdvice() {
	return 'Add delayqueue to management.endpoints.web.exposure.include of the application, and check that'
		+ ' management.endpoint.delayqueue.access is read-only or unrestricted.';
}

function tryAgain(operates) {
	return operates ? 'The operation may have been carried out. Except for "Run now", it is safe to repeat it.' : 'This page retries automatically.';
}

function problemOf(status, operates, body) {
	const title = body && typeof body.title === 'string' && body.title;
	const detail = body && typeof body.detail === 'string' && body.detail;
	if (status === 401) {
		return new Problem(401, 'You are not logged in, or your session has ended',
			`Log in to the application, then ${operates ? 'reload this page and do it again.' : 'reload this page.'}`);
	}
	if (status === 403) {
		return operates
			? new Problem(403, 'The operation was refused', 'You have no permission for it. If you have logged in again since the'
				+ ' page was opened, reload it.')
			: new Problem(403, 'You have no permission to read the queues', 'Ask for a role that may use the endpoint delayqueue.');
	}
	if (status === 404 && !title) {
		return new Problem(404, 'The endpoint does not exist', exposeAdvice());
	}
	if (status === 405) {
		return new Problem(405, 'The endpoint only reads',
			'Set management.endpoint.delayqueue.access to unrestricted to operate queues.');
	}
	if (status === 503) {
		return new Problem(503, title || 'The application is not available', detail || tryAgain(operates));
	}
	return new Problem(status, title || `The application answers with status ${status}`,
		detail || (!title && status >= 500 ? 'See the log of the application.' : ''), body || {});
}

async function send(url, options) {
	let response;
	let body = null;
	try {
		response = await fetch(url, { credentials: 'same-origin', cache: 'no-store', redirect: 'manual',
			signal: AbortSignal.timeout(TIMEOUT), ...options,
			headers: { Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest', ...options.headers } });
		if ((response.headers.get('Content-Type') || '').includes('json')) {
			body = await response.json();
		}
	}
	catch (failure) {
		throw new Problem(0, failure.name === 'TimeoutError' ? 'The application is too slow to answer'
			: 'The application does not answer', tryAgain(Boolean(options.method)));
	}
	const date = Date.parse(response.headers.get('Date'));
	if (date) {
		skew = Math.abs(date - Date.now()) > 3_000 ? date - Date.now() : 0;
	}
	if (response.type === 'opaqueredirect') {
		throw problemOf(401);
	}
	if (!response.ok) {
		throw problemOf(response.status, Boolean(options.method), body);
	}
	return body;
}

function address(segments, query) {
	const url = new URL([config.endpoint, ...segments.map(encodeURIComponent)].join('/'), location.href);
	Object.entries(query || {}).filter(([, value]) => value !== undefined && value !== null && value !== '')
		.forEach(([name, value]) => url.searchParams.set(name, value));
	return url;
}

function read(segments, query) {
	return send(address(segments, query), {});
}

/** Reads the counters of this process; null if they are not available. */
function readFigures() {
	return config.figures ? send(new URL(config.figures, location.href), {}).catch(() => null) : Promise.resolve(null);
}

function cookieToken() {
	const cookie = document.cookie.split('; ').find((one) => one.startsWith('XSRF-TOKEN='));
	return cookie ? { 'X-XSRF-TOKEN': decodeURIComponent(cookie.slice('XSRF-TOKEN='.length)) } : null;
}

/**
 * Sends a change. Some applications expect the CSRF token of the page, others the token of the cookie. A
 * refused request was not carried out, so it is repeated with the other token. Without a session Spring
 * Security responds with 401 to a missing token.
 */
async function change(url, method, body) {
	const post = (token) => send(url, { method, body: body && JSON.stringify(body),
		headers: { ...(body && { 'Content-Type': 'application/json' }), ...token } });
	const cookie = cookieToken();
	try {
		return await post(config.csrfHeader ? { [config.csrfHeader]: config.csrfToken } : cookie || {});
	}
	catch (problem) {
		if ([401, 403].includes(problem.status) && config.csrfHeader && cookie) {
			return post(cookie);
		}
		throw problem;
	}
}

/** Operates a queue. */
function operate(queue, action, parameters) {
	return change(address([queue, action]), 'POST', parameters || {});
}
