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

/**
 * Opens a dialog for a decision.
 * @returns the entered values by the names of the fields, or null if the user closed the dialog
 */
function ask({ title, lines, fields, confirm, danger }) {
	return new Promise((resolve) => {
		let answer = null;
		const inputs = (fields || []).map((field) => h('label', { class: field.type === 'checkbox' ? 'check' : '' },
			h('span', {}, field.label), h('input', { name: field.name, type: field.type || 'text', value: field.value || '',
				placeholder: field.placeholder, autocomplete: 'off', spellcheck: 'false', step: field.step })));
		const values = () => Object.fromEntries([...dialog.querySelectorAll('input')].map((input) => [input.name,
			input.type === 'checkbox' ? input.checked : input.value.trim()]));
		const faults = () => (fields || []).some((field) => field.must && values()[field.name] !== field.must);
		const done = button(confirm, null, { class: danger ? 'danger' : 'primary', type: 'submit' });
		const form = h('form', {
			oninput: () => {
				done.disabled = faults();
			},
			onsubmit: (event) => {
				event.preventDefault();
				if (!faults()) {
					answer = values();
					dialog.close();
				}
			}
		}, h('h2', { id: 'dialog-title' }, title), (lines || []).map((line) => h('p', {}, line)), inputs,
		h('div', { class: 'buttons' }, button('Back', () => dialog.close()), done));
		done.disabled = faults();
		dialog.replaceChildren(form);
		dialog.onclose = () => resolve(answer);
		dialog.showModal();
		(dialog.querySelector('input') || dialog.querySelector('button')).focus();
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
		['Ready', 'due and not delivered to a consumer yet'],
		['In flight', 'delivered to a consumer of any process'],
		['Dead', 'dead letters: failed too often or cannot be handled; redrive or discard them'],
		['Handled, lateness', 'measured in the process that serves this page, while the page is open']];
	const list = (pairs, tag) => h('dl', {}, pairs.map(([term, text]) => [h('dt', {}, h(tag, {}, term)), h('dd', {}, text)]));
	showText('Help', h('h3', {}, 'Keys'), list(keys, 'kbd'), h('h3', {}, 'Words'), list(words, 'b'));
}
