/* The dead letters of a queue: their reasons, and redriving or discarding them. */

const AT_ONCE = 10_000;
const LETTERS = 50;

/** Operates the selected dead letters one after the other, and deselects each one when it is done. */
async function each(queue, action, done, state) {
	const letters = [...state.selected];
	let through = 0;
	let gone = 0;
	for (const [key, { id, group }] of letters) {
		try {
			await operate(queue, action, { id, group });
			through++;
		}
		catch (problem) {
			if (problem.status !== 404) {
				notify('bad', `${count(through)} of ${counted(letters.length, 'dead letter')} ${done}, then: ${problem.message}.`,
					problem.advice);
				return;
			}
			gone++;
		}
		state.selected.delete(key);
	}
	notify('ok', `${counted(through, 'dead letter')} ${done}.`, gone > 0 ? `${count(gone)} did not exist any more.` : '');
}

async function discardSelected(queue, state) {
	const several = counted(state.selected.size, 'dead letter');
	await ask({ title: `Discard ${several}?`, confirm: 'Discard', danger: true,
		lines: ['They are removed for good and will not be handled.'], work: () => each(queue, 'discard', 'discarded', state) });
}

/** Counts first, with a dry run, and then operates at most the counted number. */
async function all(queue, action, state) {
	const reason = state.reason || undefined;
	const { count: found, queues } = await operate(queue, action, { reason, limit: AT_ONCE, dryRun: true });
	const because = (reason ? ` with reason ${reason}` : '')
		+ (queues && found > 0 ? ` of ${counted(Object.keys(queues).length, 'queue')}` : '');
	if (found === 0) {
		notify('info', `There is no dead letter${because}.`);
		return;
	}
	const redrive = action === 'redrive';
	await ask({ title: `${redrive ? 'Redrive' : 'Discard'} ${counted(found, 'dead letter')}${because}?`,
		confirm: redrive ? 'Redrive' : 'Discard', danger: !redrive,
		lines: [redrive ? 'Each is scheduled again, with all its attempts.' : 'They are removed for good.',
			found === AT_ONCE ? `${count(AT_ONCE)} is the maximum of one operation; there may be more.` : ''].filter(Boolean),
		fields: redrive ? [{ name: 'within', label: 'Spread over, for example 10m; empty for at once', placeholder: 'at once' }]
			: [],
		work: async (answer) => {
			const done = await operate(queue, action, { reason, limit: found, within: answer.within || undefined });
			state.selected.clear();
			state.pages = [''];
			notify('ok', `${counted(done.count, 'dead letter')}${because} ${redrive ? 'redriven' : 'discarded'}.`);
		} });
}

/** Redrives the dead letters of all queues. */
async function redriveEverywhere() {
	let chosen;
	await ask({ title: 'Redrive dead letters of all queues?', confirm: 'Count them',
		lines: ['Nothing is redriven before you have seen how many they are.'],
		fields: [{ name: 'reason', label: 'Reason', options: ['', ...Object.keys(REASONS)] }],
		work: (answer) => {
			chosen = answer;
		} });
	if (chosen) {
		await all('*', 'redrive', { reason: chosen.reason, selected: new Map(), pages: [''] });
	}
}

/** The failures on this page, the most frequent first. */
function causes(letters) {
	const kinds = new Map();
	letters.forEach((letter) => {
		const what = letter.exception ? shortName(letter.exception) : letter.message || '';
		const kind = JSON.stringify([letter.reason, what]);
		kinds.set(kind, { reason: letter.reason, what, number: ((kinds.get(kind) || {}).number || 0) + 1 });
	});
	return [...kinds.values()].sort((one, other) => other.number - one.number).slice(0, 5);
}

function why(letters) {
	const found = causes(letters);
	return letters.length > 0 && card('Reasons on this page', { class: 'horizon' }, h('ul', { class: 'bars wide' },
		found.map(({ reason, what, number: several }) => bar(`${reason}  ${what}`, several, letters.length, 'warn',
			REASONS[reason]))));
}

function tools(queue, state, letters) {
	const choose = (event) => {
		state.reason = event.target.value;
		state.pages = [''];
		state.selected.clear();
		refresh();
	};
	const reasons = [...new Set([...Object.keys(REASONS), ...letters.map((letter) => letter.reason)])];
	const some = state.selected.size;
	return h('div', { class: 'bar-of-tools' },
		h('label', {}, h('span', {}, 'Reason '), h('select', { id: 'filter', onchange: choose },
			[['', 'any'], ...reasons.map((reason) => [reason, reason])].map(([value, text]) =>
				h('option', { value, selected: value === state.reason }, text)))),
		mayOperate && h('div', { class: 'buttons' },
			actionButton(`Redrive selected (${count(some)})`, () => each(queue, 'redrive', 'redriven', state),
				{ disabled: some === 0, class: some > 0 ? 'primary' : '', id: 'redrive' }),
			actionButton(`Discard selected (${count(some)})…`, () => discardSelected(queue, state),
				{ disabled: some === 0, class: 'danger', id: 'discard' }),
			actionButton(state.reason ? `Redrive all ${state.reason}…` : 'Redrive all…', () => all(queue, 'redrive', state),
				{ id: 'redrive-all' }),
			actionButton(state.reason ? `Discard all ${state.reason}…` : 'Discard all…', () => all(queue, 'discard', state),
				{ class: 'danger', id: 'discard-all' })));
}

function selector(label, checked, change) {
	return h('input', { type: 'checkbox', 'aria-label': label, checked, onchange: (event) => {
		change(event.target.checked);
		draw();
	} });
}

function select(state, letter, chosen) {
	if (chosen) {
		state.selected.set(keyOf(letter), letter);
	}
	else {
		state.selected.delete(keyOf(letter));
	}
}

const deadView = {

	title: ({ queue }) => `Dead letters of ${queue}`,

	state: () => ({ pages: [''], reason: '', selected: new Map() }),

	load({ queue, state }) {
		return read([queue, 'dead-letters'], { reason: state.reason, limit: LETTERS,
			from: state.pages[state.pages.length - 1] });
	},

	render({ queue, state, data }) {
		const letters = data.deadLetters;
		const whole = letters.length > 0 && letters.every((letter) => state.selected.has(keyOf(letter)));
		const columns = [
			mayOperate && { name: 'Select', class: 'select', head: selector('Select all of this page', whole, (chosen) =>
				letters.forEach((letter) => select(state, letter, chosen))),
			cell: (letter) => selector(`Select ${letter.id}${letter.group ? ` of group ${letter.group}` : ''}`,
				state.selected.has(keyOf(letter)),
				(chosen) => select(state, letter, chosen)) },
			{ name: 'Message', class: 'name', cell: (letter) => link(messageRoute(queue, letter.id, letter.group), letter.id) },
			letters.some((letter) => letter.group) && { name: 'Group', cell: (letter) => letter.group },
			{ name: 'Reason', cell: (letter) => chip('warn', letter.reason, REASONS[letter.reason]) },
			{ name: 'Failure', class: 'why', cell: (letter) => failure({ exception: letter.exception,
				reason: '', message: letter.message || '' }) },
			{ name: 'Failed', class: 'number', title: 'Deliveries that ended with an exception or a crash',
				cell: (letter) => number(letter.failures + letter.crashes) },
			{ name: 'Died', class: 'when', cell: (letter) => time(letter.diedAt) }
		].filter(Boolean);
		return [
			h('div', { class: 'head' }, h('h1', {}, 'Dead letters of ', link(queueRoute(queue), queue))),
			why(letters),
			h('section', { class: 'card', 'aria-label': 'Dead letters', 'data-key': 'letters' }, tools(queue, state, letters),
				letters.length > 0 ? table('Dead letters', columns, letters.map((letter) => ({ key: keyOf(letter), of: letter })))
					: empty(state.reason ? `No dead letter with reason ${state.reason}` : 'No dead letter',
						state.reason ? 'Choose another reason, or any.' : 'Nothing of this queue has failed for good.'),
				pager(state, data.next, letters.length))
		];
	}

};
