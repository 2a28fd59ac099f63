/* The outbox in the database of the application. */

const mayOperateOutbox = config.outboxAccess === 'unrestricted' && !framed;

function outboxAddress(...rest) {
	return new URL([config.outbox, ...rest].join('/'), location.href);
}

/** Reads the rows; null if the application has no outbox. */
function readOutbox() {
	return config.outbox ? send(outboxAddress(), {}).catch((problem) => ({ problem })) : Promise.resolve(null);
}

function rowOperations({ row }) {
	const done = (text) => notify('ok', `Row ${row} of the outbox ${text}.`);
	return h('span', { class: 'buttons' },
		actionButton('Retry', async () => {
			await change(outboxAddress(row), 'POST', {});
			done('is sent again');
		}, { class: 'quiet' }),
		actionButton('Remove…', async () => {
			await ask({ title: `Remove row ${row}?`, confirm: 'Remove', danger: true,
				lines: ['Its call is never carried out.'], work: async () => {
					await change(outboxAddress(row), 'DELETE');
					done('is removed');
				} });
		}, { class: 'quiet' }));
}

/** A line about the failed rows for the list of problems; nothing if no row has failed. */
function failedRows({ failed, rows }) {
	const latest = (rows || []).map((row) => row.failedAt).sort().pop();
	return failed > 0 && latest && h('li', { 'data-key': 'outbox' }, chip('warn', 'outbox'), h('span', {}, `${counted(failed, 'row')} failed, `,
		failed > 1 && 'the latest ', time(latest)));
}

/** The counts, and the failed rows. */
function outboxPart(outbox) {
	if (outbox.problem) {
		return card('Outbox', {}, empty(outbox.problem.message, outbox.problem.advice));
	}
	const age = outbox.pending > 0 ? `, the oldest for ${duration(outbox.oldestMillis)}` : '';
	return card('Outbox', {},
		h('p', {}, `${counted(outbox.pending, 'row')} to send${age}; `, chip(outbox.failed > 0 ? 'warn' : 'ok', `${count(outbox.failed)} failed`)),
		outbox.rows.length > 0 && table('Failed rows', [
			{ name: 'Row', class: 'number', cell: (one) => one.row },
			{ name: 'Call', cell: (one) => one.call.toLowerCase() },
			{ name: 'Queue', class: 'name', cell: (one) => link(queueRoute(one.key.queue), one.key.queue) },
			{ name: 'Message', class: 'name', cell: (one) => one.key.id },
			outbox.rows.some((one) => one.key.group) && { name: 'Group', cell: (one) => one.key.group },
			{ name: 'Failed', class: 'when', cell: (one) => time(one.failedAt) },
			{ name: 'Why', class: 'why', cell: (one) => one.reason },
			mayOperateOutbox && { name: '', cell: rowOperations }
		].filter(Boolean), outbox.rows.map((one) => ({ key: String(one.row), of: one }))));
}
