/* Asks before something is done, and tells what came of it. */

const dialog = document.getElementById('dialog');
const said = document.getElementById('said');

/** Tells what came of something; what went wrong stays until it is put away. */
function say(level, text, more) {
	const line = h('div', { class: `said ${level}` }, h('span', {}, h('strong', {}, text), more && ` ${more}`),
		button('×', () => line.remove(), { 'aria-label': 'Put away', class: 'quiet' }));
	said.replaceChildren(line);
	if (level !== 'bad') {
		setTimeout(() => line.remove(), 10 * SECOND);
	}
}

/**
 * Asks for a decision.
 * @returns what was entered by the names of the fields, or null if somebody thought better of it
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
		h('div', { class: 'buttons' }, button('Leave it', () => dialog.close()), done));
		done.disabled = faults();
		dialog.replaceChildren(form);
		dialog.onclose = () => resolve(answer);
		dialog.showModal();
		(dialog.querySelector('input') || dialog.querySelector('button')).focus();
	});
}

/** Shows something to read. */
function tell(title, ...content) {
	dialog.replaceChildren(h('div', {}, h('h2', { id: 'dialog-title' }, title), content,
		h('div', { class: 'buttons' }, button('Close', () => dialog.close()))));
	dialog.onclose = null;
	dialog.showModal();
}

function help() {
	const keys = [['/', 'to the filter'], ['g', 'to all queues'], ['r', 'refresh now'], ['?', 'this help'],
		['Esc', 'close, leave a field']];
	const words = [['Waiting', 'all that is scheduled, due or not'],
		['Overdue', 'due, and not given to the consumers yet; a second of that is ordinary'],
		['Ready', 'given to the consumers, and none of them has it yet'],
		['In flight', 'with a consumer, in any process'],
		['Dead', 'set aside after too many failures, with the reason; redrive it or discard it'],
		['Handled, lateness', 'measured in the process that serves this page, while the page is open']];
	const list = (pairs, tag) => h('dl', {}, pairs.map(([term, text]) => [h('dt', {}, h(tag, {}, term)), h('dd', {}, text)]));
	tell('Help', h('h3', {}, 'Keys'), list(keys, 'kbd'), h('h3', {}, 'Words'), list(words, 'b'));
}
