/* Keeps a sample of each refresh while the page is open. */

const MOST_SAMPLES = 60;
const histories = new Map();
const counters = new Map();

function history(queue) {
	if (!histories.has(queue)) {
		histories.set(queue, { waiting: [], overdue: [], handled: [], failed: [], lateness: [], worst: null, metered: false });
	}
	return histories.get(queue);
}

function add(values, value) {
	values.push(value);
	if (values.length > MOST_SAMPLES) {
		values.shift();
	}
}

/** Rates since the last answer of the same process; another process may have answered in between. */
function measure(process, figure, at) {
	const key = JSON.stringify([process, figure.queue]);
	const before = counters.get(key);
	if (before && at - before.at < SECOND) {
		return null;
	}
	counters.set(key, { ...figure, at });
	if (!before || figure.handled < before.handled) {
		return null;
	}
	const delivered = figure.delivered - before.delivered;
	const seconds = (at - before.at) / SECOND;
	const failed = (figure.failed - before.failed) / seconds;
	// The process counts all attempts as handled. Without a delivery the lateness is unknown
	return { handled: (figure.handled - before.handled) / seconds - failed, failed,
		lateness: delivered > 0 ? (figure.latenessMillis - before.latenessMillis) / delivered : null };
}

/** The share of failed attempts in the samples of the last minute, if it is half or more; null if it is less or unknown. */
function failures(queue) {
	const past = history(queue);
	const sum = (values) => values.slice(-12).reduce((total, value) => total + value, 0);
	const failed = sum(past.failed);
	const share = failed / (failed + sum(past.handled));
	return failed > 0 && share >= 0.5 ? `${Math.round(100 * share)} %` : null;
}

/** Adds a sample of each queue. */
function sample(queues, figures) {
	const at = performance.now();
	const known = new Map(((figures && figures.queues) || []).map((figure) => [figure.queue, figure]));
	queues.forEach((queue) => {
		const past = history(queue.name);
		const figure = known.get(queue.name);
		const measured = figure ? measure(figures.process, figure, at) : null;
		past.metered = past.metered || Boolean(figure);
		past.worst = figure ? figure.worstLatenessMillis : past.worst;
		add(past.waiting, queue.scheduled);
		add(past.overdue, queue.overdue + queue.ready);
		add(past.handled, measured && measured.handled);
		add(past.failed, measured && measured.failed);
		add(past.lateness, measured && measured.lateness);
	});
}
