/* Dialogs before operations, and notices of their results. */

const dialog = document.getElementById('dialog');
const notice = document.getElementById('notice');

/** Shows the result of an operation; a failure stays until the user dismisses it. */
function notify(level, text, more) {
	const line = h('div', { class: `notice ${level}` }, h('span', {}, h('strong', {}, text), more && ` ${more}`),
		button('×', () => line.remove(), { 'aria-label': 'Dismiss', class: 'quiet' }));
	notice.replaceChildren(line);
	if (level !== 'bad') {
		setTimeout(() => line.remove(), 10 * SECOND);
	}
}

/** The input of a field: a list if it has options, an area if it has rows, else a line. */
function input(field) {
	const common = { name: field.name, placeholder: field.placeholder, autocomplete: 'off', spellcheck: 'false' };
	return field.options ? h('select', { name: field.name }, field.options.map((value) => h('option', { value }, value || 'any')))
		: field.rows ? h('textarea', { ...common, rows: field.rows }, field.value || '')
			: h('input', { ...common, type: field.type || 'text', value: field.value || '', step: field.step });
}

/**
 * Opens a dialog for a decision. The work gets the entered values by the names of the fields. If the work fails, the dialog shows
 * the problem and keeps what the user has entered.
 * @returns a promise that ends when the dialog is closed
 */
function ask({ title, lines, fields, confirm, danger, work }) {
	return new Promise((resolve) => {
		const inputs = (fields || []).map((field) => h('label', { class: field.type === 'checkbox' ? 'check' : '' },
			h('span', {}, field.label), input(field)));
		const entered = () => [...dialog.querySelectorAll('input, textarea, select')];
		const values = () => Object.fromEntries(entered().map((one) => [one.name, one.type === 'checkbox' ? one.checked
			: one.nodeName === 'TEXTAREA' ? one.value : one.value.trim()]));
		const faults = () => (fields || []).some((field) => field.must && values()[field.name] !== field.must);
		const refused = h('p', { class: 'bad', role: 'alert' });
		const refuse = (problem) => {
			if (!form.isConnected || !dialog.open) {
				notify('bad', problem.message, problem.advice);
				return;
			}
			refused.replaceChildren(h('strong', {}, problem.message), problem.advice ? `: ${problem.advice}` : '');
			const named = entered().find((one) => one.name === problem.parameter);
			if (named) {
				named.focus();
			}
		};
		const done = button(confirm, null, { class: danger ? 'danger' : 'primary', type: 'submit' });
		const form = h('form', {
			oninput: () => {
				done.disabled = faults();
			},
			onsubmit: async (event) => {
				event.preventDefault();
				if (faults() || done.disabled) {
					return;
				}
				done.disabled = true;
				refused.replaceChildren();
				try {
					await work(values());
					if (form.isConnected) {
						dialog.close();
					}
				}
				catch (problem) {
					refuse(problem);
				}
				done.disabled = faults();
			}
		}, h('h2', { id: 'dialog-title' }, title), (lines || []).map((line) => h('p', {}, line)), inputs, refused,
		h('div', { class: 'buttons' }, button('Back', () => dialog.close()), done));
		done.disabled = faults();
		dialog.replaceChildren(form);
		dialog.onclose = resolve;
		dialog.showModal();
		(dialog.querySelector('input, textarea, select') || dialog.querySelector('button')).focus();
	});
}

/** Shows a text in a dialog. */
function showText(title, ...content) {
	dialog.replaceChildren(h('div', {}, h('h2', { id: 'dialog-title' }, title), content,
		h('div', { class: 'buttons' }, button('Close', () => dialog.close()))));
	dialog.onclose = null;
	dialog.showModal();
}

function help() {
	const keys = [['/', 'to the filter'], ['g', 'to all queues'], ['r', 'refresh now'], ['?', 'this help'],
		['Esc', 'close, leave a field']];
	const words = [['Waiting', 'all scheduled messages, due or not'],
		['Overdue', 'due and not swept yet; up to a second is normal'],
		['Throttled, paused, held', 'due messages wait: because of the limits of the queue, until it is resumed, until its hold ends'],
		['Ready', 'due and not delivered to a consumer yet'],
		['In flight', 'delivered to a consumer of any process'],
		['Dead', 'dead letters: failed too often or cannot be handled; redrive or discard them'],
		['Handled, lateness', 'measured in the process that serves this page, while the page is open']];
	const list = (pairs, tag) => h('dl', {}, pairs.map(([term, text]) => [h('dt', {}, h(tag, {}, term)), h('dd', {}, text)]));
	showText('Help', h('h3', {}, 'Keys'), list(keys, 'kbd'), h('h3', {}, 'Words'), list(words, 'b'));
}
