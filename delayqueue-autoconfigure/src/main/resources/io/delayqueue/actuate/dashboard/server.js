/* Talks to the endpoint. Whatever goes wrong comes as a Problem that says what to do. */

const told = document.body.dataset;
const framed = window.top !== window.self;
const mayOperate = told.access === 'unrestricted' && !framed;
const PATIENCE = 30_000;

let skew = 0;

/** What time it is where the messages are: the server's clock, if ours is far from it. */
function now() {
	return Date.now() + skew;
}

class Problem extends Error {

	constructor(status, title, advice) {
		super(title);
		this.status = status;
		this.advice = advice;
	}

}

function exposeAdvice() {
	return 'Add delayqueue to management.endpoints.web.exposure.include of the application, and see to it that'
		+ ' management.endpoint.delayqueue.access is read-only or unrestricted.';
}

function tryAgain(operates) {
	return operates ? 'It may have been done or not; it is safe to repeat it.' : 'This page goes on trying.';
}

function problemOf(status, operates, body) {
	const title = body && typeof body.title === 'string' && body.title;
	const detail = body && typeof body.detail === 'string' && body.detail;
	if (status === 401) {
		return new Problem(401, 'You are not logged in, or no longer',
			`Log in to the application, then ${operates ? 'reload this page and do it again.' : 'reload this page.'}`);
	}
	if (status === 403) {
		return operates
			? new Problem(403, 'This was refused', 'You may look, but not do this. Or you have logged in again since the'
				+ ' page was opened: then reload it.')
			: new Problem(403, 'You may not look at the queues', 'Ask for a role that may use the endpoint delayqueue.');
	}
	if (status === 404 && !title) {
		return new Problem(404, 'The endpoint is not there', exposeAdvice());
	}
	if (status === 405) {
		return new Problem(405, 'The endpoint only reads',
			'Set management.endpoint.delayqueue.access to unrestricted to operate queues.');
	}
	if (status === 503) {
		return new Problem(503, title || 'The application is not available', tryAgain(operates));
	}
	return new Problem(status, title || `The application answers with status ${status}`,
		detail || 'The log of the application may say more.');
}

async function send(url, options) {
	let response;
	let body = null;
	try {
		response = await fetch(url, { credentials: 'same-origin', cache: 'no-store', redirect: 'manual',
			signal: AbortSignal.timeout(PATIENCE), ...options,
			headers: { Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest', ...options.headers } });
		if ((response.headers.get('Content-Type') || '').includes('json')) {
			body = await response.json();
		}
	}
	catch (failure) {
		throw new Problem(0, failure.name === 'TimeoutError' ? 'The application is too slow to answer'
			: 'The application does not answer', tryAgain(options.method === 'POST'));
	}
	const date = Date.parse(response.headers.get('Date'));
	if (date) {
		skew = Math.abs(date - Date.now()) > 3_000 ? date - Date.now() : 0;
	}
	if (response.type === 'opaqueredirect') {
		throw problemOf(401);
	}
	if (!response.ok) {
		throw problemOf(response.status, options.method === 'POST', body);
	}
	return body;
}

function address(segments, query) {
	const url = new URL([told.endpoint, ...segments.map(encodeURIComponent)].join('/'), location.href);
	Object.entries(query || {}).filter(([, value]) => value !== undefined && value !== null && value !== '')
		.forEach(([name, value]) => url.searchParams.set(name, value));
	return url;
}

function read(segments, query) {
	return send(address(segments, query), {});
}

/** What this process has counted; null where that cannot be had. */
function readFigures() {
	return told.figures ? send(new URL(told.figures, location.href), {}).catch(() => null) : Promise.resolve(null);
}

function cookieToken() {
	const cookie = document.cookie.split('; ').find((one) => one.startsWith('XSRF-TOKEN='));
	return cookie ? { 'X-XSRF-TOKEN': decodeURIComponent(cookie.slice('XSRF-TOKEN='.length)) } : null;
}

/**
 * Does something with a queue. Some applications expect the token that the page was given, some the one of
 * the cookie: what was refused has not been done, so it may be tried with the other. Without a login in a
 * session Spring Security says 401 where it misses a token.
 */
async function operate(queue, action, parameters) {
	const post = (token) => send(address([queue, action]), { method: 'POST', body: JSON.stringify(parameters || {}),
		headers: { 'Content-Type': 'application/json', ...token } });
	const cookie = cookieToken();
	try {
		return await post(told.csrfHeader ? { [told.csrfHeader]: told.csrfToken } : cookie || {});
	}
	catch (problem) {
		if ([401, 403].includes(problem.status) && told.csrfHeader && cookie) {
			return post(cookie);
		}
		throw problem;
	}
}
