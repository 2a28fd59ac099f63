/* One message: its history, its content, and operations on it. */

async function one(message, action, parameters, done) {
	try {
		await operate(message.queue, action, { id: message.id, group: message.group || undefined, ...parameters });
		notify('ok', done);
	}
	catch (problem) {
		if (action !== 'cancel' || problem.status !== 409) {
			throw problem;
		}
		notify('info', problem.message, problem.advice);
	}
}

async function cancel(message) {
	await ask({ title: 'Cancel this message?', confirm: 'Cancel the message', danger: true,
		lines: [message.state === 'PENDING' ? 'It is in flight: its handler may finish, no retry follows.'
			: 'It is removed for good and will not be handled.'],
		work: () => one(message, 'cancel', {}, 'The message is cancelled.') });
}

async function discard(message) {
	await ask({ title: 'Discard this dead letter?', confirm: 'Discard', danger: true,
		lines: ['It is removed for good and will not be handled.'],
		work: () => one(message, 'discard', {}, 'The dead letter is discarded.') });
}

function waits(message) {
	return ['SCHEDULED', 'PARKED', 'READY'].includes(message.state);
}

/** The headers that the user has changed, as JSON; undefined if none. Hidden headers are not offered, and stay. */
function changedHeaders(before, text) {
	let after;
	try {
		after = JSON.parse(text.trim() || '{}');
	}
	catch (broken) {
		throw new Problem(0, 'The headers are not JSON', broken.message, { parameter: 'headers' });
	}
	const changes = Object.fromEntries([...Object.keys(before).filter((name) => !(name in after)).map((name) => [name, null]),
		...Object.entries(after).filter(([name, value]) => before[name] !== value)]);
	return Object.keys(changes).length > 0 ? JSON.stringify(changes) : undefined;
}

async function edit(message) {
	const content = message.payload || {};
	const whole = content.content !== undefined && !content.truncated;
	const shown = whole ? content.content : '';
	const before = Object.fromEntries(Object.entries(message.headers).filter(([, value]) => value !== '******'));
	const isBinary = content.encoding === 'base64';
	const fields = [{ name: 'newId', label: 'Id', value: message.id },
		{ name: 'headers', label: 'Headers, as JSON', rows: 4, value: JSON.stringify(before, null, 2) },
		{ name: 'payload', label: isBinary ? 'Payload, as Base64' : 'Payload', rows: 8, value: shown,
			placeholder: whole ? '' : 'Empty keeps the payload, which is not shown as a whole' }];
	await ask({ title: 'Edit this dead letter and redrive it?', confirm: 'Save and redrive', fields,
		lines: ['It is due at once, with all its attempts.'],
		work: async ({ newId, headers, payload: after }) => {
			const edited = await operate(message.queue, 'edit', { id: message.id, group: message.group || undefined,
				newId: newId === message.id ? undefined : newId, headers: changedHeaders(before, headers),
				...after !== shown && { payload: after, encoding: isBinary ? 'base64' : 'text' } });
			notify('ok', 'The message is edited and redriven.', `SHA-256 before ${edited.digestBefore.slice(0, 12)}…, after ${edited.digestAfter.slice(0, 12)}….`);
			if (edited.id !== message.id) {
				location.hash = messageRoute(message.queue, edited.id, edited.group);
			}
		} });
}

async function reschedule(message) {
	await ask({ title: 'Change its due time', confirm: 'Reschedule', fields: [
		{ name: 'delay', label: 'In, for example 30s, 5m or 2h', placeholder: '5m' },
		{ name: 'at', label: `Or at, in the time zone ${zone}`, type: 'datetime-local', step: 1 }],
	work: ({ delay, at }) => one(message, 'reschedule', { delay: delay || undefined,
		at: at ? new Date(at).toISOString() : undefined }, 'The message is rescheduled.') });
}

function choices(message) {
	if (message.state === 'FINISHED') {
		return false;
	}
	return mayOperate && h('div', { class: 'buttons' },
		message.state === 'SCHEDULED' && actionButton('Run now', () => one(message, 'reschedule', { now: true }, 'The message is due now.'),
			{ class: 'primary', id: 'now' }),
		waits(message) && actionButton('Reschedule…', () => reschedule(message), { id: 'reschedule' }),
		message.state === 'DEAD' && actionButton('Redrive', () => one(message, 'redrive', {}, 'The message is redriven.'),
			{ class: 'primary', id: 'redrive' }),
		message.state === 'DEAD' && !message.unreadable && actionButton('Edit…', () => edit(message), { id: 'edit' }),
		message.state === 'DEAD' ? actionButton('Discard…', () => discard(message), { class: 'danger', id: 'discard' })
			: actionButton('Cancel…', () => cancel(message), { class: 'danger', id: 'cancel' }));
}

/** What stops messages of this queue or group at the moment. */
function stops(message, queue) {
	if (!queue) {
		return [];
	}
	const held = queue.holds.filter(({ group }) => group === null || group === (message.group || null));
	return [queue.paused && h('li', { class: 'warn' }, h('div', {}, 'Its queue is paused'), queue.pausedSince && time(queue.pausedSince)),
		held.map(({ group, until, by, process, why }) => h('li', { class: 'warn' },
			h('div', {}, `Its ${group === null ? 'queue' : 'group'} is held until then, by ${by === 'HANDLER' ? 'a handler' : 'an operator'}`,
				why && h('p', {}, why), h('p', {}, 'In process ', h('code', {}, process))), time(until)))].flat().filter(Boolean);
}

function timeline(message, queue) {
	const steps = [];
	const step = (level, at, ...text) => steps.push(h('li', { class: level }, h('div', {}, text), at && time(at)));
	const times = (number) => number === 1 ? 'once' : `${count(number)} times`;
	if (message.createdAt) {
		step('', message.createdAt, 'It was created', h('p', {}, 'In process ', h('code', {}, message.createdBy)));
	}
	if (message.dueAt) {
		step('', message.dueAt, Date.parse(message.dueAt) > now() ? 'It is due then' : 'It was due');
	}
	if (message.failures > 0) {
		step('bad', null, `Its handler failed ${times(message.failures)}`);
	}
	if (message.crashes > 0) {
		step('bad', null, `Its consumer stopped renewing the lease ${times(message.crashes)}`);
	}
	if (message.defers > 0) {
		step('', null, `Its handler deferred it ${times(message.defers)}`);
	}
	if (message.lastFailure) {
		const { reason, exception, message: text, at, process, tookMillis, stack } = message.lastFailure;
		step('bad', at, h('div', {}, message.state === 'DEAD' ? [h('b', {}, reason), `: ${REASONS[reason] || 'it failed'}`]
			: 'The last failure'), exception && h('code', {}, exception), h('p', {}, text),
		process && h('p', {}, `After ${duration(tookMillis)} in process `, h('code', {}, process)),
		stack && h('details', { 'data-key': 'stack' }, h('summary', {}, 'Stack trace'), h('pre', { tabindex: 0 }, stack)));
	}
	if (message.state === 'SCHEDULED' && message.nextAttemptAt !== message.dueAt) {
		step('info', message.nextAttemptAt, 'It will be retried');
	}
	if (message.state === 'SCHEDULED' && message.nextAttemptAt === message.dueAt) {
		step('info', null, Date.parse(message.dueAt) > now() ? 'It waits for its due time' : 'It is overdue: it is not swept yet');
	}
	if (message.retries) {
		const { retries } = message;
		step('info', null, h('details', {}, h('summary', {}, `If each attempt fails: ${counted(retries.length, 'further retry', 'further retries')}`,
			retries.length === 10 ? ' or more' : ''), h('ol', {}, retries.map((at) => h('li', {}, time(at))))));
	}
	if (message.maxAttempts && message.state !== 'DEAD') {
		step('', null, `It would be dead-lettered after ${counted(message.maxAttempts, 'failed attempt')}`);
	}
	const stopped = stops(message, queue);
	if (message.state === 'PARKED' && stopped.length === 0) {
		step('warn', null, 'It waits because its group is at its limit');
	}
	if (message.readyAt) {
		step('ok', message.readyAt, 'It became ready');
	}
	if (message.state === 'READY') {
		step('info', null, 'It waits for a consumer with a free permit');
	}
	if (message.state === 'PENDING') {
		step('info', null, 'It is with process ', h('code', {}, message.consumer || 'unknown'),
			`, which renewed its lease ${duration(message.idleMillis || 0)} ago`);
	}
	if (message.state === 'DEAD') {
		step('bad', message.diedAt, 'It was dead-lettered');
	}
	if (message.end) {
		const { how, at, where, tookMillis } = message.end;
		step(ENDS[how].level, at, ENDS[how].description,
			message.attempts > 0 && ` after ${counted(message.attempts, 'attempt')}`,
			h('p', {}, tookMillis === undefined ? 'In process ' : `After ${duration(tookMillis)} in process `, h('code', {}, where)));
	}
	return h('ol', { class: 'timeline' }, steps, stopped);
}

const HIDDEN = { 'not-allowed': 'It is not shown to you: see management.endpoint.delayqueue.show-payloads.',
	'masked': 'A mask of the application hides it.', 'mask-failed': 'It is hidden because a mask has failed.' };

function payload({ payload: content, unreadable }) {
	if (!content) {
		return card('Payload', {}, empty('It cannot be read', unreadable || ''));
	}
	return card(`Payload, ${count(content.size)} ${content.size === 1 ? 'byte' : 'bytes'}`, {},
		content.hidden ? h('p', { class: 'note' }, HIDDEN[content.hidden] || content.hidden)
			: h('pre', { tabindex: 0 }, content.content),
		content.encoding === 'base64' && h('p', { class: 'note' }, 'It is binary and shown as Base64.'),
		content.truncated && h('p', { class: 'note' }, 'Only the beginning is shown.'));
}

/** Some scheduled and dead messages of a queue whose ids begin with a text. */
async function beginningWith(queue, idPrefix) {
	const pages = await Promise.all(['SCHEDULED', 'DEAD'].map((state) => read([queue, 'messages'], { state, idPrefix, limit: 10 })));
	return pages.flatMap((page) => page.messages.map((one) => ({ ...one, state: page.state })));
}

const messageView = {

	title: ({ id }) => id,

	state: () => ({}),

	async load({ queue, id, group, state }) {
		try {
			const message = await read([queue, 'message'], { id, group });
			const of = waits(message) && await read([queue]);
			state.last = message;
			return { message, of, gone: false };
		}
		catch (problem) {
			if (problem.status !== 404) {
				throw problem;
			}
			return { message: state.last, gone: problem.message, similar: state.last ? [] : await beginningWith(queue, id) };
		}
	},

	render({ queue, id, data: { message, of, gone, similar } }) {
		const title = h('h1', { class: 'id' }, id);
		if (!message || gone) {
			return [h('div', { class: 'head' }, title, chip('info', message ? 'gone' : 'not found')),
				empty(message ? 'It is not in the queue any more' : gone, message
					? 'It was handled, cancelled or discarded. A queue that keeps a history says which.'
					: 'It may have been handled or removed. Check the id: it is case-sensitive.',
				link(queueRoute(queue), `To queue ${queue}`)),
				similar && similar.length > 0 && card('Ids that begin with it', {}, h('ul', { class: 'similar' }, similar.map((one) =>
					h('li', { 'data-key': keyOf(one) }, link(messageRoute(queue, one.id, one.group), one.id), ' ',
						chip(STATES[one.state].level, STATES[one.state].name)))))];
		}
		const headers = Object.entries(message.headers);
		const facts = [['Group', message.group], ['Partition', count(message.partition) + (message.epoch > 0 ? ` of epoch ${count(message.epoch)}` : '')],
			[message.end ? 'Attempts' : 'Failed attempts', count(message.attempts)],
			['Due', message.dueAt && absolute(message.dueAt)]].filter(([, value]) => value);
		return [
			h('div', { class: 'head' }, title, chip(STATES[message.state].level, STATES[message.state].name,
				`It ${STATES[message.state].description}`), choices(message)),
			h('div', { class: 'columns' },
				card('History', {}, timeline(message, of)),
				card('Facts', {}, h('dl', { class: 'facts' }, facts.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]),
					headers.map(([name, value]) => [h('dt', {}, h('code', {}, name)), h('dd', {}, value)])),
				headers.length === 0 && !message.end && h('p', { class: 'note' }, 'It has no headers.'))),
			!message.end && payload(message)
		];
	}

};
